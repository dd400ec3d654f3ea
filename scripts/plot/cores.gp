# Time, and time by the cores that it took: two bars for each mode in a group per size, against the first mode; above them
# the time, and how many cores.
# SPDX-License-Identifier: BSD-3-Clause
load folder."/common.gp"

index_of(p, s) = (p - 1) * series + s - 1
bar = 0.4 / series
centre(n, s) = n + 2 * bar * (s - 0.5 * (series + 1))
place(n, s, pale) = centre(n, s) + (pale ? 0.5 : -0.5) * bar

parts = ""
do for [s = 1:series] {
    parts = parts." ".colour(s)
    entry = text_of("series", s)
    style = 100 + s
    eval add_legend
}
gap = named ? name_height : 4
strip = 62 # points above the highest bar, for what stands there
box = 80 + strip
panels_height = panels * (gap + box) + axis_height
eval set_height

load terminal
eval set_styles
set output output
set multiplot
title_text = benchmark.": time, and time x cores"
axis_title = "message size (bytes)"
eval draw_around

panel_left = left_margin
panel_right = width - right_margin
panel_bottom = panels_from
do for [p = 1:panels] {
    first = index_of(p, 1)
    last = index_of(p, series)
    eval reset_axes
    stats data index first:last using ($6 == 2 ? NaN : $2) name "highs" nooutput
    stats data index first:last using ($6 == 2 ? NaN : $3) name "pales" nooutput
    stats data index first:last using 1 name "places" nooutput
    greatest = most(found("highs_max", 100), found("pales_max", 100))
    groups = found("places_max", 1)
    undefine highs_*
    undefine pales_*
    undefine places_*
    panel_top = panel_bottom + gap
    panel_bottom = panel_top + box
    panel_text = panel_name(p)
    y_title = "first mode = 100 %"
    eval set_panel
    top = greatest * box / (box - strip)
    set xrange [0.4 : groups + 0.6]
    set yrange [0 : top]
    set xtics ("" -1) scale 0 nomirror font small offset 0,0
    set ytics in nomirror font normal offset 0.4,0 0, (greatest < 220 ? 20 : greatest < 550 ? 50 : 100 * ceil(greatest / 1000)), greatest
    eval set_level_grid
    set arrow from graph 0, first 100 to graph 1, first 100 nohead lw 0.5 lc rgb frame back
    plot for [s = 1:series] data index index_of(p, s) using (place($1, s, 0)):($6 == 2 ? NaN : $2):(bar) \
            with boxes fillcolor rgb colour(s) fillstyle solid 1 border lc rgb frame lw 0.3, \
        for [s = 1:series] "" index index_of(p, s) using (place($1, s, 1)):($6 == 2 ? NaN : $3):(bar) \
            with boxes fillcolor rgb colour(s) fillstyle transparent solid 0.35 border lc rgb frame lw 0.3, \
        for [s = 1:series] "" index index_of(p, s) using (place($1, s, 0)):($6 == 2 ? 0.04 * top : NaN) \
            with points pt 2 ps cross lc rgb grey, \
        for [s = 1:series] "" index index_of(p, s) using (centre($1, s)):($6 == 2 ? NaN : ($3 > $2 ? $3 : $2) + 0.02 * top): \
            ($3 == $3 ? sprintf("%s, %g core%s", time_name($4), $5, $5 == 1 ? "" : "s") : time_name($4)) \
            with labels rotate by 90 left font small textcolor rgb frame, \
        for [s = 1:series] "" index index_of(p, s) using 1:(NaN):xticlabels(7) with points
}
unset multiplot
set output
