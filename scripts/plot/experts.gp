# A mixture of experts: for each model a box with what is exposed of each dispatch and combine, a line per scheme, and one
# with how far the rank with most tokens is beyond the mean.
# SPDX-License-Identifier: BSD-3-Clause
load folder."/common.gp"

index_of(p, s) = (p - 1) * series + s - 1

eval add_series
gap = named ? name_height : 2
box = 80
small_box = 45
panels_height = panels * (gap + box + axis_height + small_box + axis_height)
eval set_height

load terminal
eval set_styles
set output output
set multiplot
title_text = benchmark.": dispatch and combine of a mixture of experts"
axis_title = "above: operation; below: block, or its microbatch"
eval draw_around

panel_left = left_margin
panel_right = width - right_margin
panel_bottom = panels_from - axis_height
do for [p = 1:panels] {
    first = index_of(p, 1)
    last = index_of(p, series)
    eval reset_axes
    stats data index first:last using 2 name "there" nooutput
    stats data index first:last using 3 name "back" nooutput
    stats data index first:last using 1 name "number" nooutput
    stats data index first:last using ($4 == $4 ? $1 : NaN) name "place" nooutput
    stats data index first:last using 4 name "over" nooutput
    greatest = most(found("there_max", 1e-6), found("back_max", 1e-6))
    factor = unit_factor(0.5 * greatest)

    panel_top = panel_bottom + axis_height + gap
    panel_bottom = panel_top + box
    panel_text = panel_name(p)
    y_title = sprintf("time (%s)", unit_name(0.5 * greatest))
    eval set_panel
    set xrange [-0.5 : found("number_max", 1) + 0.5]
    set yrange [0 : 1.1 * factor * greatest]
    set xtics out nomirror font normal offset 0,numbers_up autofreq
    set ytics in nomirror font normal offset 0.4,0 autofreq
    set format x "%.0f"
    set format y "%g"
    half = 0.5 * found("number_max", 1)
    set arrow 60 from half, graph 0 to half, graph 1 nohead lw 0.6 lc rgb frame
    plot for [s = 1:series] data index index_of(p, s) using 1:($3 * factor) with lines lw 0.8 dt 3 lc rgb colour(s), \
        for [s = 1:series] "" index index_of(p, s) using 1:($2 * factor) with linespoints ls number_of("style", s)

    panel_top = panel_bottom + axis_height
    panel_bottom = panel_top + small_box
    panel_text = ""
    y_title = "most / mean"
    eval set_panel
    set xrange [-0.5 : found("place_max", 1) + 0.5]
    if (found("place_max", 1) < 5) { set xtics 1 }
    unset arrow 60
    set ytics in nomirror font normal offset 0.4,0 0.5
    set yrange [0 : 1.15 * most(found("over_max", 1), 1)]
    plot for [s = 1:series] data index index_of(p, s) using 1:4:(0.7) with boxes fillstyle solid 1 border lc rgb frame \
            lw 0.3 lc rgb "#a9c6e8", \
        1 with lines lw 0.6 dt 3 lc rgb frame
    undefine there_*
    undefine back_*
    undefine number_*
    undefine place_*
    undefine over_*
}
unset multiplot
set output
