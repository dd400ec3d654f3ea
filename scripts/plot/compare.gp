# How cells changed from old launches to new ones, each with its interval, against the gate; a line for each cell.
# SPDX-License-Identifier: BSD-3-Clause
#
# `ovl compare` sets besides: rows; label1 .. of them; gate; nothing, the value of no change; regressed, inconclusive,
# ok, improved, how many there are of each; ratio, whether values are new / old or new - old. `ovl offload` has no gate,
# and sets names, of the four verdicts, and axis_said.
panels = 1
panel1 = ""
series = 0
load folder."/common.gp"

row_height = 8.0
label_width = 78
panels_height = rows * row_height + axis_height + 3
styles = "4 20 3 5" # by verdict
if (!exists("names")) names = "REGRESSED INCONCLUSIVE OK IMPROVED"
gated = exists("gate")
if (!gated) gate = nothing
array counts[4] = [regressed, inconclusive, ok, improved]
do for [v = 1:4] {
    if (counts[v] > 0) {
        entry = word(names, v)
        style = int(word(styles, v))
        eval add_legend
    }
}
if (gated) {
    entry = "gate"
    style = 30
    eval add_legend
}
eval set_height

stats data using 2 name "values" nooutput
stats data using 3 name "lows" nooutput
stats data using 4 name "highs" nooutput
least = fewest(fewest(nothing, gate), fewest(found("values_min", nothing), found("lows_min", nothing)))
greatest = most(most(nothing, gate), most(found("values_max", nothing), found("highs_max", nothing)))

load terminal
eval set_styles
set output output
set multiplot
title_text = benchmark
axis_title = exists("axis_said") ? axis_said : ratio ? "new / old" : "new - old"
eval draw_around

set lmargin at screen x_at(label_width)
set rmargin at screen x_at(width - right_margin)
set tmargin at screen y_at(panels_from)
set bmargin at screen y_at(panels_from + rows * row_height + 3)
set yrange [rows + 0.6 : 0.4]
unset ytics
if (ratio && least > 0 && greatest > 4 * least) {
    set logscale x 2
    set xrange [0.9 * least : 1.1 * greatest]
    set xtics in nomirror font normal offset 0,numbers_up
} else {
    margin = most(0.08 * (greatest - least), 0.02)
    set xrange [least - margin : greatest + margin]
    span = greatest - least + 2 * margin
    step = span < 0.12 ? 0.02 : span < 0.35 ? 0.05 : span < 0.8 ? 0.1 : span < 1.6 ? 0.25 : span < 4 ? 0.5 : 1
    set xtics in nomirror font normal offset 0,numbers_up step
}
set format x "%g"
set arrow 1 from first nothing, graph 0 to first nothing, graph 1 nohead lc rgb frame lw 0.5 back
if (gated) set arrow 2 from first gate, graph 0 to first gate, graph 1 nohead ls 30 lw 1 back
do for [i = 1:rows] {
    set label 200 + i text_of("label", i) at screen x_at(label_width - 3), first i right font small
}
plot for [v = 0:3] data using ($5 == v ? $3 : NaN):1:($4 - $3):(0) \
        with vectors heads size graph 0.004,90 nofilled lw 0.8 lc rgb (v == 1 ? "#7f7f7f" : word(colours, int(word(styles, v + 1)))), \
    for [v = 0:3] data using ($5 == v ? $2 : NaN):1 with points ls int(word(styles, v + 1))
unset multiplot
set output
