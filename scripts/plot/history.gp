# A metric over launches, a box per point: each launch, the levels between changes, where these are and where they may
# be (a bar below).
# SPDX-License-Identifier: BSD-3-Clause
#
# `ovl history` sets besides: panels, panel1 .. ; seconds, whether values are times; labels1 .. , how many changes of a
# panel are named; at_K_P and said_K_P, where the Kth of panel P stands and its text.
load folder."/common.gp"

entry = "launch"
style = 1
eval add_legend
entry = "for the worse"
style = 4
eval add_legend
entry = "for the better"
style = 5
eval add_legend
gap = name_height
box = 62
panels_height = panels * (gap + box + axis_height)
eval set_height

load terminal
eval set_styles
# Changes are lines, launches are points.
set style line 1 pt 7 ps 0.8 * mark lc rgb "#17375e" lw 0
set style line 4 lc rgb "#9c2a00" dt (6,3) pt 0 ps 0 lw 1
set style line 5 lc rgb "#3f8f5f" dt (2,2) pt 0 ps 0 lw 1
set output output
set multiplot
title_text = benchmark
axis_title = "launch, in order of time"
eval draw_around

panel_left = left_margin
panel_right = width - right_margin
panel_bottom = panels_from - axis_height
do for [p = 1:panels] {
    eval reset_axes
    stats data index 2 * p - 2 using 2 name "values" nooutput
    stats data index 2 * p - 2 using 1 name "number" nooutput
    last = found("number_max", 1)
    lowest = found("values_min", 0)
    highest = found("values_max", 1)
    # A tenth of the middle at least, or noise would look like much.
    spread = most(highest - lowest, 0.1 * abs(0.5 * (lowest + highest)))
    spread = spread > 0 ? spread : 1e-9
    factor = seconds ? unit_factor(most(abs(lowest), abs(highest))) : 1
    bottom = factor * (0.5 * (lowest + highest) - 0.6 * spread)
    top = factor * (0.5 * (lowest + highest) + 0.85 * spread)

    panel_top = panel_bottom + axis_height + gap
    panel_bottom = panel_top + box
    panel_text = panel_name(p)
    y_title = seconds ? sprintf("time (%s)", unit_name(most(abs(lowest), abs(highest)))) : ""
    eval set_panel
    set xrange [0.5 - 0.02 * last : last + 0.5 + 0.02 * last]
    set yrange [bottom : top]
    if (last < 16) { set xtics out nomirror font normal offset 0,numbers_up 1 } \
    else { set xtics out nomirror font normal offset 0,numbers_up autofreq }
    set ytics in nomirror font normal offset 0.4,0 autofreq
    set format x "%.0f"
    set format y "%g"
    do for [k = 1:number_of("labels", p)] {
        at = value(sprintf("at_%d_%d", k, p))
        left_half = at < 0.5 * last
        eval sprintf("set label %d said_%d_%d at first at, graph 0.91 %s offset %s,0 font small textcolor rgb frame", \
            10 + k, k, p, left_half ? "left" : "right", left_half ? "0.4" : "-0.4")
    }
    plot data index 2 * p - 1 using ($4 == 1 ? $1 - 0.5 : NaN):(bottom):(0):(top - bottom) with vectors nohead ls 4, \
        "" index 2 * p - 1 using ($4 == 2 ? $1 - 0.5 : NaN):(bottom):(0):(top - bottom) with vectors nohead ls 5, \
        "" index 2 * p - 1 using ($4 > 0 ? $5 - 0.5 : NaN):(bottom):($6 - $5):(0) with vectors nohead lw 4 lc rgb grey, \
        "" index 2 * p - 1 using ($1 - 0.4):($3 * factor):($2 - $1 + 0.8):(0) with vectors nohead lw 1 lc rgb grey, \
        "" index 2 * p - 2 using 1:($2 * factor) with points ls 1
}
unset multiplot
set output
