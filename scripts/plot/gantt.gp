# Lanes of what ranks do on one time axis: a box per scheme, one under the other. checkpoints.gp draws by it, too.
# SPDX-License-Identifier: BSD-3-Clause
#
# Lines of data: begin, end, upper and lower edge in lanes from the top, kind, name. Kind -2 names a lane, -1 has the end
# of all, the status of the cell in place of an edge, and how high all is; the others are those of src/record/derived/lanes.h.
load folder."/common.gp"

checkpoints = exists("of_checkpoints")
parts = "#a9c6e8 #3a6ea5 #17375e #ffdfae #ffffff #c3d9f0 #17375e #e36c09 #ffffff #7fb77e"
names = checkpoints ? "steps snapshot writing stall" : "forward backward update 'in flight' wait 'bulk work'"
rgb_of(hex) = 65536 * hex_of(hex[2:3]) + 256 * hex_of(hex[4:5]) + hex_of(hex[6:7])
hex_of(two) = 16 * (strstrt("0123456789abcdef", two[1:1]) - 1) + strstrt("0123456789abcdef", two[2:2]) - 1
colour_of(k) = rgb_of(word(parts, int(k) + 1))
kinds = checkpoints ? 4 : 6
# In the order of the names.
kind_of(k) = checkpoints ? 4 + k : k == 6 ? 9 : k - 1
hatched(k) = k == 4 || k == 8
index_of(p, s) = (p - 1) * series + s - 1
# Blocking schemes, with which others are compared, stand first.
array place_of[series]
placed = 0
blocks(s) = !checkpoints && text_of("series", s)[1:8] eq "Blocking"
do for [first = 1:0:-1] {
    do for [s = 1:series] {
        if (blocks(s) == first) {
            placed = placed + 1
            place_of[placed] = s
        }
    }
}
# What a box is of, in two lines where it is long.
title_of(p, s) = in_lines(text_of("series", s).(named ? ", ".text_of("panel", p) : ""), 70, 2)

do for [k = 1:kinds] {
    eval reset_axes
    there = 0
    do for [i = 1:panels * series] {
        stats data index i - 1 using ($5 == kind_of(k) ? 1 : NaN) name "kind" nooutput
        there = there || found("kind_records", 0) > 0
        undefine kind_*
    }
    if (there) {
        entry = word(names, k)
        style = 101 + kind_of(k)
        eval add_legend
    }
}

unit = checkpoints ? 10 : 7 # points of a lane
gap = 9
line = line_height
array rows[panels * series]
array ends[panels * series]
array invalid[panels * series]
boxes = 0
room_of_boxes = 0
do for [i = 1:panels * series] {
    rows[i] = 0
    ends[i] = 0
    stats data index i - 1 using ($5 == -1 ? $4 : NaN) name "row" nooutput
    stats data index i - 1 using ($5 == -1 ? $2 : NaN) name "end" nooutput
    stats data index i - 1 using ($5 == -1 ? $3 : NaN) name "mark" nooutput
    rows[i] = found("row_max", 0)
    invalid[i] = found("mark_max", 0) == 2
    ends[i] = found("end_max", 0)
    undefine row_*
    undefine end_*
    undefine mark_*
    if (rows[i] > 0) {
        boxes = boxes + 1
        room_of_boxes = room_of_boxes + unit * rows[i] + gap + 2 + \
            line * (count_lines(title_of((i - 1) / series + 1, (i - 1) % series + 1)) - 1)
    }
}
panels_height = room_of_boxes + axis_height
eval set_height
# As draw_box_entry of common.gp, with the hatching of waits.
draw_box_entry = "if (hatched(style - 101)) { set object 40 + i rectangle from screen x_at(x + 4), y - 2.5 / height \
    to screen x_at(x + 16), y + 2.5 / height fillcolor rgb '#a02020' fillstyle pattern 4 border lc rgb '#a02020' lw 0.4 } \
else { set object 40 + i rectangle from screen x_at(x + 4), y - 2.5 / height \
    to screen x_at(x + 16), y + 2.5 / height \
    fillcolor rgb word(parts, style - 100) fillstyle solid 1 border lc rgb frame lw 0.4 }"

load terminal
eval set_styles
set output output
set multiplot
title_text = benchmark.(checkpoints ? ": an epoch with checkpoints, by who writes them" : benchmark eq "serve" ? ": requests served, by scheme" : ": a step, by scheme")
longest = 0
do for [i = 1:panels * series] { longest = most(longest, ends[i]) }
axis_title = sprintf("time (%s)", unit_name(0.6 * longest))
factor = unit_factor(0.6 * longest)
eval draw_around

panel_left = left_margin
panel_right = width - right_margin
panel_bottom = panels_from
left_boxes = boxes
do for [p = 1:panels] {
    do for [q = 1:series] {
        s = place_of[q]
        i = index_of(p, s) + 1
        if (rows[i] > 0) {
            left_boxes = left_boxes - 1
            title = title_of(p, s)
            panel_top = panel_bottom + gap + line * (count_lines(title) - 1)
            panel_bottom = panel_top + unit * rows[i] + 2
            panel_text = title
            y_title = ""
            eval set_panel
            set xrange [0 : 1.02 * factor * longest]
            set yrange [rows[i] - 0.1 : -0.2]
            unset grid
            set grid xtics back lt 1 lw 0.35 lc rgb faint
            set xtics in nomirror font normal offset 0,numbers_up autofreq
            set format x (left_boxes == 0 ? "%g" : "")
            unset ytics
            set label 4 time_name(ends[i]).(invalid[i] ? " x" : "") at screen x_at(panel_right), y_at(panel_top - 5) \
                right font small
            plot data index i - 1 using ($5 >= 0 && !hatched($5) ? factor * $1 : NaN):(0): \
                    (factor * $1):(factor * $2):3:4:($5 < 0 ? 0 : colour_of($5)) \
                    with boxxyerror fillstyle solid 1 border lc rgb frame lw 0.2 lc rgb variable, \
                "" index i - 1 using (hatched($5) ? factor * $1 : NaN):(0):(factor * $1):(factor * $2):3:4 \
                    with boxxyerror fillstyle pattern 4 lc rgb "#a02020" lw 0.3, \
                "" index i - 1 using ($5 == -1 ? factor * $1 : NaN):(0):(0):4 with vectors nohead lw 0.8 lc rgb frame, \
                "" index i - 1 using ($5 == -2 ? 0 : NaN):(0.5 * ($3 + $4)):6 \
                    with labels right offset -0.5,0 font small
        }
    }
}
unset multiplot
set output
