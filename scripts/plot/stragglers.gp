# What each rank exposed, a box per cell: rank by rank, coloured by node, the worst named below.
# SPDX-License-Identifier: BSD-3-Clause
load folder."/common.gp"

index_of(p, s) = (p - 1) * series + s - 1
rgb_of(node) = (sprintf("0x%s", substr(word(colours, int(most(node, 0)) % 12 + 1), 2, 7)) + 0) # unknown: as the first

do for [n = 1:nodes] {
    entry = text_of("node", n)
    style = 100 + n
    eval add_legend
}
if (nodes == 0) { legend_rows = 0 }
parts = colours
gap = named ? name_height : 2
box = 100
list = lists * line_height + 3
panels_height = panels * (gap + box + axis_height + list)
eval set_height

load terminal
eval set_styles
set output output
set multiplot
title_text = benchmark.": what each rank exposed"
axis_title = "rank"
eval draw_around

panel_left = left_margin
panel_right = width - right_margin
panel_bottom = panels_from - axis_height - list
do for [p = 1:panels] {
    eval reset_axes
    stats data index index_of(p, 1) using 3 name "lows" nooutput
    stats data index index_of(p, 1) using 4 name "highs" nooutput
    stats data index index_of(p, 1) using 5 name "middle" nooutput
    stats data index index_of(p, 1) using 1 name "number" nooutput
    last = found("number_max", 1)
    middle = found("middle_max", 0)
    lowest = found("lows_min", -1e-6)
    highest = found("highs_max", 1e-6)
    # A tenth of the median at least, or noise would look like much.
    spread = most(highest - lowest, 0.1 * abs(middle))
    factor = unit_factor(most(abs(lowest), abs(highest)))
    bottom = factor * (0.5 * (lowest + highest) - 0.6 * spread)
    top = factor * (0.5 * (lowest + highest) + 0.75 * spread)

    panel_top = panel_bottom + axis_height + list + gap
    panel_bottom = panel_top + box
    panel_text = panel_name(p)
    y_title = sprintf("T - W (%s)", unit_name(most(abs(lowest), abs(highest))))
    eval set_panel
    array list_names[3] = ["first", "second", "third"]
    do for [i = 1:lists] {
        set label 2 + i text_of(list_names[i], p) at screen x_at(5), \
            y_at(panel_bottom + axis_height + (i - 0.5) * line_height) left font small
    }
    room = most(0.6, 0.02 * last)
    set xrange [-room : last + room]
    set yrange [bottom : top]
    # Whole ranks only.
    if (last < 16) { set xtics out nomirror font normal offset 0,numbers_up 1 } \
    else { set xtics out nomirror font normal offset 0,numbers_up autofreq }
    set ytics in nomirror font normal offset 0.4,0 autofreq
    set format x "%.0f"
    set format y "%g"
    dot = mark * (last < 100 ? 1 : last < 400 ? 0.7 : 0.5)
    plot data index index_of(p, 1) using ($7 == 1 ? $1 - 0.5 : NaN):(bottom):(0):(top - bottom) \
            with vectors nohead lw 0.5 dt (2,3) lc rgb grey, \
        "" index index_of(p, 1) using 1:($3 * factor):(0):(($4 - $3) * factor) \
            with vectors nohead lw (last < 100 ? 0.6 : 0.25) lc rgb "#b0b0b0", \
        "" index index_of(p, 1) using 1:($2 * factor):(rgb_of($6)) with points pt 7 ps dot lc rgb variable, \
        "" index index_of(p, 1) using 1:($5 * factor) with lines lw 0.8 dt (6,4) lc rgb frame, \
        "" index index_of(p, 1) using ($8 > 0 ? $1 : NaN):($2 * factor):(sprintf("%d", $8)) \
            with labels font small offset 0,0.5 textcolor rgb "#a02020"
}
unset multiplot
set output
