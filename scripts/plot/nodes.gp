# The time of a step or a transform over the number of nodes: a bar for host and DPU each, and a line with what the
# DPU saves, on an axis of its own; a panel per problem.
# SPDX-License-Identifier: BSD-3-Clause
load folder."/common.gp"

index_of(p, s) = (p - 1) * series + s - 1
bar = 0.8 / series
place(n, s) = n + bar * (s - 0.5 * (series + 1))

parts = ""
do for [s = 1:series] {
    parts = parts." ".colour(s)
    entry = text_of("series", s)
    style = 100 + s
    eval add_legend
}
eval reset_axes
stats data using 5 name "gains" nooutput
gains = found("gains_records", 0) > 0
if (gains) {
    entry = "improvement (%)"
    style = 3
    eval add_legend
}
stats data using ($6 == 2 ? 1 : NaN) name "bad" nooutput
if (found("bad_records", 0) > 0) {
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
title_text = benchmark.": time over nodes"
axis_title = "nodes"
eval draw_around

panel_left = left_margin
panel_right = width - (gains ? 30 : right_margin)
panel_bottom = panels_from - axis_height
do for [p = 1:panels] {
    first = index_of(p, 1)
    last = index_of(p, series)
    eval reset_axes
    stats data index first:last using 4 name "highs" nooutput
    stats data index first:last using 7 name "places" nooutput
    greatest = found("highs_max", 1e-6)
    factor = unit_factor(0.5 * greatest)
    panel_top = panel_bottom + axis_height + gap
    panel_bottom = panel_top + box
    panel_text = panel_name(p)
    y_title = sprintf("time (%s)", unit_name(0.5 * greatest))
    eval set_panel
    if (gains) {
        set label 3 "improvement (%)" at screen x_at(panel_right + 25), y_at(0.5 * (panel_top + panel_bottom)) \
            center rotate by 90 font normal
    }
    set xrange [0.4 : found("places_max", 1) + 0.6]
    set yrange [0 : 1.1 * factor * greatest]
    set y2range [fewest(0, 1.2 * found("gains_min", 0)) : most(10, 1.2 * found("gains_max", 1))]
    set xtics ("" -1) out nomirror font normal offset 0,numbers_up
    set ytics in nomirror font normal offset 0.4,0 autofreq
    if (gains) { set y2tics in nomirror font normal offset -0.6,0 autofreq } else { unset y2tics }
    set format y "%g"
    set format y2 "%g"
    eval set_level_grid
    plot for [s = 1:series] data index index_of(p, s) using (place($7, s)):($6 == 2 ? NaN : factor * $2):(bar) \
            with boxes fillcolor rgb colour(s) fillstyle solid 1 border lc rgb frame lw 0.3, \
        for [s = 1:series] "" index index_of(p, s) \
            using (place($7, s)):($6 < 2 && $4 > $3 ? factor * $3 : NaN):(0):(factor * ($4 - $3)) \
            with vectors heads size graph 0.008,90 nofilled lw 0.6 lc rgb grey, \
        for [s = 1:series] "" index index_of(p, s) using (place($7, s)):($6 == 2 ? 0.05 * factor * greatest : NaN) \
            with points pt 2 ps cross lc rgb colour(s), \
        for [s = 1:series] "" index index_of(p, s) using 7:5 axes x1y2 with linespoints ls 3, \
        for [s = 1:series] "" index index_of(p, s) using 7:(NaN):xticlabels(1) with points
}
unset multiplot
set output
