# How both times of requests are spread: the share of requests that took no longer, a line per scheme.
# SPDX-License-Identifier: BSD-3-Clause
load folder."/common.gp"

index_of(p, s) = (p - 1) * series + s - 1

eval add_series
gap = named ? name_height : 2
box = 65
panels_height = panels * 2 * (gap + box + axis_height)
eval set_height

load terminal
eval set_styles
set output output
set multiplot
title_text = benchmark.": share of requests with this time at most"
axis_title = "above: time to the first token; below: for each further one"
eval draw_around

panel_left = left_margin
panel_right = width - right_margin
panel_bottom = panels_from - axis_height
do for [p = 1:panels] {
    first = index_of(p, 1)
    last = index_of(p, series)
    do for [side = 1:2] {
        eval reset_axes
        column_of_time = side == 1 ? 2 : 4
        stats data index first:last using ($5 == 2 ? NaN : column(column_of_time)) name "times" nooutput
        greatest = found("times_max", 1e-6)
        factor = unit_factor(0.5 * greatest)
        undefine times_*
        panel_top = panel_bottom + axis_height + gap
        panel_bottom = panel_top + box
        panel_text = side == 1 ? panel_name(p) : ""
        y_title = "% of requests"
        eval set_panel
        set xrange [0 : 1.05 * factor * most(greatest, 1e-12)]
        set yrange [0 : 102]
        set xtics out nomirror font normal offset 0,numbers_up 0, wide_step(factor * most(greatest, 1e-12)), \
            0.98 * factor * most(greatest, 1e-12)
        set ytics in nomirror font normal offset 0.4,0 25
        set format x "%g ".unit_name(0.5 * greatest)
        set format y "%g"
        plot for [s = 1:series] data index index_of(p, s) \
                using ($5 == 2 ? NaN : factor * column(column_of_time)):(100 * $1) with linespoints ls number_of("style", s), \
            for [s = 1:series] "" index index_of(p, s) \
                using ($5 == 2 || side == 2 ? NaN : factor * $3):(100 * $1) with lines lw 0.5 lc rgb colour(s)
    }
}
unset multiplot
set output
