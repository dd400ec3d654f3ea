# By what factor the computation slows down beside the communication, against message size; a panel per set-up, so also
# per kernel.
# SPDX-License-Identifier: BSD-3-Clause
load folder."/common.gp"

index_of(p, s) = (p - 1) * series + s - 1

stats data using (log2($1)) name "size" nooutput
from = size_min
to = size_max
room = plot_width

invalid = 0
do for [i = 1:panels * series] {
    stats data index i - 1 using ($5 == 2 ? 1 : 0) name "bad" nooutput
    invalid = invalid || found("bad_max", 0) > 0
}

eval add_series
entry = "not slowed down"
style = 30
eval add_legend
if (invalid) {
    entry = crosses
    style = 31
    eval add_legend
}
gap = named ? name_height : 2
box = 90
panels_height = panels * (gap + box + axis_height)
eval set_height

load terminal
eval set_styles
set output output
set multiplot
title_text = benchmark.": computation slowed down"
axis_title = "message size (bytes)"
eval draw_around

panel_left = left_margin
panel_right = width - right_margin
panel_bottom = panels_from - axis_height
y_title = "slowdown (factor)"
do for [p = 1:panels] {
    first = index_of(p, 1)
    last = index_of(p, series)
    eval reset_axes
    stats data index first:last using 2 name "values" nooutput
    stats data index first:last using 3 name "lows" nooutput
    stats data index first:last using 4 name "highs" nooutput
    least = fewest(1, fewest(found("values_min", 1), found("lows_min", 1)))
    greatest = most(1, most(found("values_max", 1), found("highs_max", 1)))

    panel_top = panel_bottom + axis_height + gap
    panel_bottom = panel_top + box
    panel_text = panel_name(p)
    eval set_panel
    eval set_size_axis
    if (greatest > 5 * least) {
        factor = 1
        bottom = 0.8 * least
        top = 1.3 * greatest
        highest = top
        eval set_time_axis
    } else {
        # At least 10 % on each side of 1, so that a flat line looks flat.
        bottom = fewest(0.9, least - 0.08 * (greatest - least))
        top = most(1.1, greatest + 0.08 * (greatest - least))
        step = top - bottom < 0.35 ? 0.05 : top - bottom < 0.8 ? 0.1 : top - bottom < 1.6 ? 0.25 : top - bottom < 3 ? 0.5 : 1
        set yrange [bottom : top]
        set ytics in nomirror font normal offset 0.4,0 step
        set format y "%g"
    }
    set arrow from graph 0, first 1 to graph 1, first 1 nohead ls 30 back
    plot for [s = 1:series] data index index_of(p, s) \
            using ($5 < 2 && $4 > $3 ? log2($1) + apart(s) : NaN):3:(0):($4 - $3) \
            with vectors heads size graph 0.008,90 nofilled lw 0.6 lc rgb colour(s), \
        for [s = 1:series] "" index index_of(p, s) using ($5 < 2 ? log2($1) + apart(s) : NaN):2 \
            with linespoints ls number_of("style", s), \
        for [s = 1:series] "" index index_of(p, s) using ($5 == 2 ? log2($1) + apart(s) : NaN):2 \
            with points pt 2 ps cross lc rgb colour(s)
}
unset multiplot
set output
