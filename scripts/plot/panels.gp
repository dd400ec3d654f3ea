# Exposed broadcast, panel by panel: a box per order of the matrix, a line per way of broadcasting.
# SPDX-License-Identifier: BSD-3-Clause
load folder."/common.gp"

index_of(p, s) = (p - 1) * series + s - 1

eval add_series
gap = named ? name_height : 2
box = 90
panels_height = panels * (gap + box + axis_height)
eval set_height

load terminal
eval set_styles
set output output
set multiplot
title_text = benchmark."-panel: exposed broadcast of each panel"
axis_title = "panel"
eval draw_around

panel_left = left_margin
panel_right = width - right_margin
panel_bottom = panels_from - axis_height
do for [p = 1:panels] {
    first = index_of(p, 1)
    last = index_of(p, series)
    eval reset_axes
    stats data index first:last using 2 name "times" nooutput
    stats data index first:last using 3 name "alone" nooutput
    stats data index first:last using 1 name "number" nooutput
    greatest = most(found("times_max", 1e-6), found("alone_max", 1e-6))
    factor = unit_factor(0.5 * greatest)

    panel_top = panel_bottom + axis_height + gap
    panel_bottom = panel_top + box
    panel_text = panel_name(p)
    y_title = sprintf("time (%s)", unit_name(0.5 * greatest))
    eval set_panel
    set xrange [-0.5 : found("number_max", 1) + 0.5]
    set yrange [0 : 1.1 * factor * greatest]
    set xtics out nomirror font normal offset 0,numbers_up autofreq
    if (found("number_max", 1) < 5) { set xtics 1 }
    set ytics in nomirror font normal offset 0.4,0 autofreq
    set format x "%.0f"
    set format y "%g"
    plot for [s = 1:series] data index index_of(p, s) using 1:($3 * factor) with lines lw 0.6 dt 3 lc rgb colour(s), \
        for [s = 1:series] "" index index_of(p, s) using 1:($2 * factor) with linespoints ls number_of("style", s)
}
unset multiplot
set output
