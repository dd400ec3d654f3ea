# Each sample of a cell in the order of the blocks, a strip per quantity, with its histogram on the right.
# SPDX-License-Identifier: BSD-3-Clause
load folder."/common.gp"

index_of(p, s) = (p - 1) * series + s - 1
eval add_series
gap = name_height
strip = 40
strip_gap = 5
histogram = 44
panels_height = panels * (gap + series * (strip + strip_gap) - strip_gap + axis_height)
eval set_height

load terminal
eval set_styles
set output output
set multiplot
title_text = benchmark.": the samples of its cells"
axis_title = "block"
eval draw_around

# Three or so numbers on an axis.
step_of(range) = range / 3.0 / 10**floor(log10(range / 3.0))
step(range) = 10**floor(log10(range / 3.0)) * (step_of(range) < 1.5 ? 1 : step_of(range) < 3.5 ? 2 : step_of(range) < 7.5 ? 5 : 10)

panel_bottom = panels_from - axis_height
do for [p = 1:panels] {
    last_block = 1
    do for [s = 1:series] {
        eval reset_axes
        stats data index index_of(p, s) using 1 name "number" nooutput
        last_block = most(last_block, found("number_max", 1))
        undefine number_*
    }
    panel_bottom = panel_bottom + axis_height + gap - strip_gap
    do for [s = 1:series] {
        eval reset_axes
        # Of a quantity that the cell lacks nothing is found.
        stats data index index_of(p, s) using 5 name "lows" nooutput
        stats data index index_of(p, s) using 6 name "highs" nooutput
        there = exists("lows_min")
        lowest = found("lows_min", 0)
        highest = found("highs_max", 1e-6)
        undefine lows_*
        undefine highs_*
        factor = unit_factor(highest)
        # A fiftieth of the time at least, or noise would look like much.
        spread = 1.16 * most(highest - lowest, 0.02 * highest)
        bottom = factor * (0.5 * (lowest + highest) - 0.5 * spread)
        top = factor * (0.5 * (lowest + highest) + 0.5 * spread)
        tick = step(top - bottom)

        panel_top = panel_bottom + strip_gap
        panel_bottom = panel_top + strip
        panel_left = left_margin
        panel_right = width - right_margin - histogram
        panel_text = s == 1 ? panel_name(p) : ""
        y_title = there ? sprintf("%s (%s)", text_of("series", s)[1:1], unit_name(highest)) : text_of("series", s)[1:1]
        eval set_panel
        if (!there) { set label 3 "no sample" at graph 0.5, graph 0.5 center font small textcolor rgb grey }
        set yrange [bottom : top]
        set xrange [0 : last_block + 1]
        set format x (s == series ? "%.0f" : "")
        set format y (there ? "%g" : "")
        set ytics in nomirror font normal offset 0.4,0 tick
        # Whole blocks only.
        if (last_block < 16) { set xtics out nomirror font normal offset 0,numbers_up 1, 1, last_block } \
        else { set xtics out nomirror font normal offset 0,numbers_up autofreq }
        dot = mark * (last_block < 100 ? 0.8 : last_block < 400 ? 0.5 : 0.35)
        rgb = word(colours, number_of("style", s))
        plot data index index_of(p, s) using ($3 == 0 ? $1 : NaN):($2 * factor) with points pt 7 ps dot lc rgb rgb, \
            "" index index_of(p, s) using ($3 == 1 ? $1 : NaN):($2 * factor) with points pt 9 ps cross lc rgb "#a02020", \
            "" index index_of(p, s) using ($3 == -1 ? $1 : NaN):($2 * factor) with points pt 11 ps cross lc rgb "#a02020", \
            "" index index_of(p, s) using 1:($4 * factor) with lines lw 0.8 dt (6,4) lc rgb frame
        panel_left = width - right_margin - histogram
        panel_right = width - right_margin
        panel_text = ""
        y_title = ""
        eval set_panel
        set xrange [0 : 1.08]
        unset xtics
        unset ytics
        plot data index index_of(p, s) using (0):($5 * factor):(0):($7):($5 * factor):($6 * factor) \
            with boxxyerror fillstyle solid 0.5 lc rgb rgb lw 0.4
    }
}
unset multiplot
set output
