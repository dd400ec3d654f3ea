# Hidden fraction against message size, a panel per set-up; what is off the scale stands in a strip with its value.
# SPDX-License-Identifier: BSD-3-Clause
load folder."/common.gp"

low = -8.0
high = 108.0
strip = 25.0
index_of(p, s) = (p - 1) * series + s - 1
edge(y) = y < low ? low : y > high ? high : y
scaled(y) = y >= low && y <= high ? y : NaN

stats data using (log2($1)) name "size" nooutput
from = size_min
to = size_max
room = plot_width

# below_row[p] has a word for each series: the number of its strip under panel p, counted from the scale.
array below[panels]
array above[panels]
array below_row[panels]
array above_row[panels]
invalid = 0
do for [p = 1:panels] {
    below[p] = 0
    above[p] = 0
    below_row[p] = ""
    above_row[p] = ""
    do for [s = 1:series] {
        stats data index index_of(p, s) using 2 name "hidden" nooutput
        stats data index index_of(p, s) using ($6 == 2 ? 1 : 0) name "bad" nooutput
        below[p] = below[p] + (found("hidden_min", 0) < low)
        above[p] = above[p] + (found("hidden_max", 0) > high)
        below_row[p] = below_row[p].sprintf(" %d", below[p])
        above_row[p] = above_row[p].sprintf(" %d", above[p])
        invalid = invalid || found("bad_max", 0) > 0
    }
}
below_at(p, s) = low - strip * (int(word(below_row[p], s)) - 1)
above_at(p, s) = high + strip * (int(word(above_row[p], s)) - 1)

eval add_series
entry = "hideable at most"
style = 30
eval add_legend
if (invalid) {
    entry = crosses
    style = 31
    eval add_legend
}
gap = named ? name_height : 2
panel_height(p) = gap + 0.95 * (high - low + strip * (below[p] + above[p])) + axis_height
panels_height = 0
do for [p = 1:panels] {
    panels_height = panels_height + panel_height(p)
}
eval set_height

load terminal
eval set_styles
set output output
set multiplot
title_text = benchmark.": communication hidden by computation"
axis_title = "message size (bytes)"
eval draw_around

panel_top = panels_from
panel_left = left_margin
panel_right = width - right_margin
y_title = "hidden part (%)"
do for [p = 1:panels] {
    panel_bottom = panel_top + panel_height(p) - axis_height
    panel_top = panel_top + gap
    panel_text = panel_name(p)
    eval set_panel
    eval set_size_axis
    set yrange [low - strip * below[p] : high + strip * above[p]]
    set ytics in nomirror font normal offset 0.4,0 0, 20, 100
    do for [i = 0:2] {
        at = i == 0 ? 0 : i == 1 ? low : high
        set arrow from graph 0, first at to graph 1, first at nohead lw 0.5 lc rgb frame back
    }
    if (below[p] > 0) {
        set label "below" at graph 0, first low - 0.5 * strip * below[p] right offset -0.6,0 font small
    }
    if (above[p] > 0) {
        set label "above" at graph 0, first high + 0.5 * strip * above[p] right offset -0.6,0 font small
    }
    plot for [s = 1:series] data index index_of(p, s) using (log2($1) + apart(s)):5 \
            with lines lw 0.6 dt 3 lc rgb colour(s), \
        for [s = 1:series] "" index index_of(p, s) \
            using (log2($1) + apart(s)):($6 < 2 && $4 > $3 ? edge($3) : NaN):(0):(edge($4) - edge($3)) \
            with vectors heads size graph 0.008,90 nofilled lw 0.6 lc rgb colour(s), \
        for [s = 1:series] "" index index_of(p, s) using (log2($1) + apart(s)):($6 < 2 ? edge($2) : NaN) \
            with lines ls number_of("style", s), \
        for [s = 1:series] "" index index_of(p, s) using (log2($1) + apart(s)):($6 < 2 ? scaled($2) : NaN) \
            with points ls number_of("style", s), \
        for [s = 1:series] "" index index_of(p, s) using (log2($1) + apart(s)):($6 == 2 ? scaled($2) : NaN) \
            with points pt 2 ps cross lc rgb colour(s), \
        for [s = 1:series] "" index index_of(p, s) \
            using (log2($1) + apart(s)):($2 < low ? below_at(p, s) - 3.5 : NaN):($6 == 2 ? 10 : 11) \
            with points pt variable ps cross lc rgb colour(s), \
        for [s = 1:series] "" index index_of(p, s) \
            using (log2($1) + apart(s)):($2 < low ? below_at(p, s) - 6.5 : NaN):(sprintf("%.0f", $2)) \
            with labels rotate by 90 right font small textcolor rgb colour(s), \
        for [s = 1:series] "" index index_of(p, s) \
            using (log2($1) + apart(s)):($2 > high ? above_at(p, s) + 3.5 : NaN):($6 == 2 ? 8 : 9) \
            with points pt variable ps cross lc rgb colour(s), \
        for [s = 1:series] "" index index_of(p, s) \
            using (log2($1) + apart(s)):($2 > high ? above_at(p, s) + 6.5 : NaN):(sprintf("%.0f", $2)) \
            with labels rotate by 90 left font small textcolor rgb colour(s)
    panel_top = panel_bottom + axis_height
}
unset multiplot
set output
