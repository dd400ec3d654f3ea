# A trace that is served: what was exposed in each iteration, a line per scheme, and below it what the whole trace exposed
# and hid, a bar per scheme.
# SPDX-License-Identifier: BSD-3-Clause
load folder."/common.gp"

index_of(p, s) = (p - 1) * series + s - 1

eval add_series
gap = named ? name_height : 2
fits = 1 # the name of a scheme below its bar; else its colour tells it
do for [s = 1:series] { fits = fits && 0.8 * text_width(text_of("series", s)) < plot_width / (series + 0.2) }
box = 80
small_box = 45
panels_height = panels * (gap + box + axis_height + small_box + axis_height)
eval set_height

load terminal
eval set_styles
set output output
set multiplot
title_text = benchmark.": communication that is exposed, by iteration and in all"
axis_title = "above: iteration; below: scheme"
eval draw_around

panel_left = left_margin
panel_right = width - right_margin
panel_bottom = panels_from - axis_height
do for [p = 1:panels] {
    first = index_of(p, 1)
    last = index_of(p, series)
    eval reset_axes
    stats data index first:last using ($5 == 2 ? NaN : $2) name "times" nooutput
    stats data index first:last using 1 name "number" nooutput
    stats data index first:last using ($5 == 2 ? NaN : most($3, $3 + $4)) name "all" nooutput
    greatest = found("times_max", 1e-6)
    factor = unit_factor(0.5 * greatest)

    panel_top = panel_bottom + axis_height + gap
    panel_bottom = panel_top + box
    panel_text = panel_name(p)
    y_title = sprintf("exposed (%s)", unit_name(0.5 * greatest))
    eval set_panel
    set xrange [-0.5 : found("number_max", 1) + 0.5]
    set yrange [0 : 1.1 * factor * most(greatest, 1e-12)]
    set xtics out nomirror font normal offset 0,numbers_up autofreq
    if (found("number_max", 1) < 5) { set xtics 1 }
    set ytics in nomirror font normal offset 0.4,0 autofreq
    set format x "%.0f"
    set format y "%g"
    plot for [s = 1:series] data index index_of(p, s) using 1:($5 == 2 ? NaN : $2 * factor) \
        with linespoints ls number_of("style", s)

    greatest = found("all_max", 1e-6)
    factor = unit_factor(0.5 * greatest)
    panel_top = panel_bottom + axis_height
    panel_bottom = panel_top + small_box
    panel_text = ""
    y_title = sprintf("all (%s)", unit_name(0.5 * greatest))
    eval set_panel
    set xrange [0.4 : series + 0.6]
    set yrange [0 : 1.15 * factor * most(greatest, 1e-12)]
    set xtics ("" -1) scale 0 nomirror font small offset 0,numbers_up
    set ytics in nomirror font normal offset 0.4,0 0, wide_step(factor * most(greatest, 1e-12))
    do for [s = 1:series] { if (fits) { set xtics add (text_of("series", s) s) } }
    eval set_level_grid
    plot for [s = 1:series] data index index_of(p, s) every ::0::0 \
            using (s):($5 == 2 ? NaN : factor * ($3 + $4)):(0.5) \
            with boxes fillcolor rgb colour(s) fillstyle solid 0.3 border lc rgb frame lw 0.3, \
        for [s = 1:series] "" index index_of(p, s) every ::0::0 using (s):($5 == 2 ? NaN : factor * $3):(0.5) \
            with boxes fillcolor rgb colour(s) fillstyle solid 1 border lc rgb frame lw 0.3, \
        for [s = 1:series] "" index index_of(p, s) every ::0::0 using (s):($5 == 2 ? 0.05 * factor * greatest : NaN) \
            with points pt 2 ps cross lc rgb grey
    undefine times_*
    undefine number_*
    undefine all_*
}
unset multiplot
set output
