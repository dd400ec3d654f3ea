# Speed of the solution, a group of bars per order of the matrix; above a bar stands how far it is from the fastest
# broadcast of the host.
# SPDX-License-Identifier: BSD-3-Clause
load folder."/common.gp"

index_of(p, s) = (p - 1) * series + s - 1
bar = 0.8 / series
place(p, s) = p + bar * (s - 0.5 * (series + 1))

parts = ""
do for [s = 1:series] {
    parts = parts." ".colour(s)
    entry = text_of("series", s)
    style = 100 + s
    eval add_legend
}
eval reset_axes
stats data using 4 name "highs" nooutput
invalid = 0
do for [i = 1:panels * series] {
    stats data index i - 1 using ($6 == 2 ? 1 : 0) name "bad" nooutput
    invalid = invalid || found("bad_max", 0) > 0
}
if (invalid) {
    entry = crosses
    style = 31
    eval add_legend
}
strip = 30
box = 90 + strip
# The names of panels, in as many lines as their bars leave room for. One alone has none: what is common stands above.
stats data using 1 name "orders" nooutput
name_of(p) = strlen(text_of("panel", p)) > 0 ? text_of("panel", p) : sprintf("N %.0f", found("orders_min", NaN))
letters = int(1.0 * plot_width / panels / text_width("n"))
tick_lines = 1
do for [p = 1:panels] { tick_lines = most(tick_lines, count_lines(in_lines(name_of(p), letters, 4))) }
panels_height = 4 + box + axis_height + line_height * (tick_lines - 1)
eval set_height

load terminal
eval set_styles
set output output
set multiplot
title_text = benchmark."-panel: speed of the solution"
axis_title = ""
eval draw_around

panel_left = left_margin
panel_right = width - right_margin
panel_top = panels_from + 4
panel_bottom = panel_top + box
panel_text = ""
y_title = "GFLOP/s"
eval set_panel
top = found("highs_max", 1) * box / (box - strip)
set xrange [0.5 : panels + 0.5]
set yrange [0 : top]
set xtics ("" -1) out nomirror font normal offset 0,numbers_up
do for [p = 1:panels] {
    set xtics add (in_lines(name_of(p), letters, 4) p)
}
set ytics in nomirror font normal offset 0.4,0
set format y "%g"
plot for [p = 1:panels] for [s = 1:series] data index index_of(p, s) using (place(p, s)):($6 == 2 ? NaN : $2):(bar) \
        with boxes fillcolor rgb colour(s) fillstyle solid 1 border lc rgb frame lw 0.3, \
    for [p = 1:panels] for [s = 1:series] "" index index_of(p, s) \
        using (place(p, s)):($6 < 2 && $4 > $3 ? $3 : NaN):(0):($4 - $3) \
        with vectors heads size graph 0.008,90 nofilled lw 0.6 lc rgb grey, \
    for [p = 1:panels] for [s = 1:series] "" index index_of(p, s) \
        using (place(p, s)):($5 > -1000 ? $4 + 0.02 * top : NaN): \
        (abs($5) < 0.5 ? "0 %" : sprintf("%+.0f %%", $5)) \
        with labels rotate by 90 left font small, \
    for [p = 1:panels] for [s = 1:series] "" index index_of(p, s) using (place(p, s)):($6 == 2 ? 0.03 * top : NaN) \
        with points pt 2 ps cross lc rgb colour(s)
unset multiplot
set output
