# What all charts share: sizes, styles, axes, and the head, legend and notes round the panels.
# SPDX-License-Identifier: BSD-3-Clause
#
# Lengths are points (1/72 inch), counted from the upper left corner; a figure is as wide as a column of 8.5 cm.
# `ovl plot` sets before: data, output, folder, terminal, benchmark; head1 .. and heads, their number; note, warning,
# panel and series in the same way; reference; crosses, what they are; style1 .. of the series; crossover1 .. of the panels.
# gnuplot has no procedures: what a drawing runs several times is a text here, for `eval`.
width = 241
left_margin = 33
right_margin = 7
plot_width = width - left_margin - right_margin
axis_height = 13 # of the numbers under a panel
set encoding utf8

x_at(x) = (x) / (1.0 * width)
y_at(y) = 1 - (y) / (1.0 * height)
text_of(name, i) = value(sprintf("%s%d", name, i))
number_of(name, i) = value(sprintf("%s%d", name, i))
found(name, otherwise) = exists(name) ? value(name) : otherwise # `stats` sets nothing where there is no valid point
log2(x) = log(x) / log(2)
fewest(a, b) = a < b ? a : b
most(a, b) = a > b ? a : b


# Styles. Host mode has the odd ones, DPU mode the even ones, and other modes the even ones from the last down: dark and light, round and square, whole and broken.
# 20 is the reference, grey and hollow; 30 a limit, 31 an invalid cell, 32 the wire.
colours = "#17375e #e36c09 #2f7fb5 #9c2a00 #3f8f5f #d9a300 #6a4c93 #f2987a #000000 #7a5a00 #5fb0b0 #0b7a6a"
marks = "7 5 9 13 11 15 6 4 14 12 10 8"
colour(s) = word(colours, number_of("style", s))
frame = "#404040"
faint = "#d9d9d9"
grey = "#606060"
# Series that stand at the same size are set 1.2 points apart, so that both intervals are seen (in powers of two).
apart(s) = 1.2 * (s - 0.5 * (series + 1)) * (most(to - from, 4) + 1.2) / room
named = panels > 1 || strlen(panel1) > 0
line_height = 7.4

# Run after the terminal is set, whose file says how it scales letters and points, and how far numbers go up to their
# axis.
set_styles = "normal = sprintf('sans-serif,%g', 7 * font_scale); small = sprintf('sans-serif,%g', 5.6 * font_scale); \
mark = 0.42 * point_scale; cross = 0.5 * point_scale; \
do for [i = 1:12] { set style line i lc rgb word(colours, i) pt int(word(marks, i)) ps mark lw 1 }; \
set style line 2 dt (9,3); set style line 3 dt (5,2); set style line 4 dt (3,2); set style line 5 dt (2,2); \
set style line 6 dt (12,2,2,2); set style line 7 dt (9,2,2,2); set style line 8 dt (6,3); set style line 9 dt (1,2); \
set style line 10 dt (2,1); set style line 11 dt (4,1); set style line 12 dt (10,3,3,3); \
set style line 20 lc rgb '#7f7f7f' dt (2,4) pt 6 ps mark lw 0.9; \
set style line 30 lc rgb grey dt 3 pt 0 ps 0 lw 0.6; \
set style line 31 lc rgb grey pt 2 ps cross lw 1; \
set style line 32 lc rgb '#000000' dt (6,6) pt 0 ps 0 lw 0.7; \
set border 15 lw 0.5 lc rgb frame; set tics scale 0.4 / point_scale, 0.25 / point_scale font normal nomirror; \
set grid back lt 1 lw 0.35 lc rgb faint; set boxwidth 0.8 absolute; \
set key noautotitle; unset key"


# The axis of message sizes: powers of two, named where there is room for a name.
size_name(k) = k < 10 ? sprintf("%d", 2**k) : k < 20 ? sprintf("%dK", 2**(k - 10)) : \
    k < 30 ? sprintf("%dM", 2**(k - 20)) : sprintf("%dG", 2**(k - 30))
size_step(low, high, room) = most(1, int(ceil(20.0 * (high - low + 1.2) / room)))

# Sets the axis from 2**from to 2**to, `room` points wide; few sizes stand in the middle.
set_size_axis = "pad = most(0.6, 0.5 * (4 - to + from)); set xrange [from - pad : to + pad]; \
set xtics ('' -1000) out nomirror font normal offset 0,numbers_up; \
do for [k = int(ceil(from)) : int(to)] { \
    if (k % size_step(from, to, room) == 0) { set xtics add (size_name(k) k) } else { set xtics add ('' k 1) } }"


# No lines upwards: they would cross out what stands above the bars.
set_level_grid = "unset grid; set grid ytics back lt 1 lw 0.35 lc rgb faint"

# Times: the unit that fits, and an axis from `bottom` to `top` with numbers up to `highest`,
# at 1 or at 1, 2, 5 of each power of ten.
unit_name(t) = t < 0.3e-6 ? "ns" : t < 0.5e-3 ? "µs" : t < 0.5 ? "ms" : "s"
unit_factor(t) = t < 0.3e-6 ? 1e9 : t < 0.5e-3 ? 1e6 : t < 0.5 ? 1e3 : 1
time_text(t, unit) = sprintf(t < 9.95 ? "%.1f %s" : "%.0f %s", t, unit)
time_name(t) = t < 999.5e-9 ? time_text(1e9 * t, "ns") : t < 999.5e-6 ? time_text(1e6 * t, "µs") : \
    t < 999.5e-3 ? time_text(1e3 * t, "ms") : time_text(t, "s")
# Takes the logarithms of times, lows and highs that `stats` found; at least a factor of 4 is shown.
set_times = "least = exp(fewest(found('times_min', log(1e-6)), found('lows_min', log(1e3)))); \
greatest = exp(most(found('times_max', log(1e-6)), found('highs_max', log(1e-12)))); \
middle = sqrt(least * greatest); factor = unit_factor(middle); \
if (greatest < 4 * least) { least = middle / 2; greatest = middle * 2 }"
set_time_axis = "set logscale y; set yrange [bottom : top]; set ytics ('' 1e-30) in nomirror font normal offset 0.4,0; \
do for [k = int(floor(log10(bottom))) : int(ceil(log10(top)))] { do for [m = 1:9] { tick = m * 10.0**k; \
    if (tick >= bottom && tick <= highest) { \
        if (m == 1 || (highest / bottom < 60 && (m == 2 || m == 5))) { set ytics add (sprintf('%g', tick) tick) } \
        else { set ytics add ('' tick 1) } } } }"


# Between the numbers of an axis that ends at x: five of them at most.
power(x) = 10.0**floor(log10(x))
wide_step(x) = power(x / 5) * (x / 5 <= power(x / 5) ? 1 : x / 5 <= 2 * power(x / 5) ? 2 : x / 5 <= 5 * power(x / 5) ? 5 : 10)


# Of text in the normal font, about; letters differ.
text_width(text) = (sum [i = 1:strlen(text)] (strstrt("ABCDEFGHIJKLMNOPQRSTUVWXYZ_=%", text[i:i]) > 0 ? 5.0 : 3.85))
# The title's letters: smaller where it is long.
title_size(text) = fewest(8, 7 * (width - 10) / text_width(text))

# A text in lines of about so many letters, each of which ends with a comma, or else at a blank; the last of them that there
# is room for is cut.
comma_before(text, i) = i < 2 ? 0 : text[i:i + 1] eq ", " ? i : comma_before(text, i - 1)
blank_before(text, i) = i < 2 ? 0 : text[i:i] eq " " ? i : blank_before(text, i - 1)
first_of(a, b, c) = a > 0 ? a : b > 0 ? b : c
line_end(text, letters) = first_of(comma_before(text, letters + 1), blank_before(text, letters + 1), letters)
in_lines(text, letters, most) = strlen(text) <= letters ? text : most == 1 ? text[1:letters - 3]."..." : \
    text[1:line_end(text, letters)]."\n".in_lines(after_comma(text[line_end(text, letters) + 1:*]), letters, most - 1)
after_comma(text) = text[1:1] eq " " ? text[2:*] : text
first_end(text) = strstrt(text, "\n") == 0 ? strlen(text) + 1 : strstrt(text, "\n")
count_lines(text) = first_end(text) > strlen(text) ? 1 : 1 + count_lines(text[first_end(text) + 1:*])
line_of(text, i) = i == 1 ? text[1:first_end(text) - 1] : line_of(text[first_end(text) + 1:*], i - 1)

# The names of panels in up to three lines, and how high the highest is.
panel_name(p) = in_lines(text_of("panel", p), 70, 3)
name_lines = 1
do for [p = 1:panels] { name_lines = most(name_lines, count_lines(panel_name(p))) }
name_height = 10 + line_height * (name_lines - 1)

# The legend: entries are added by their text and line style (colour, for boxes) and flow from left to right; what is
# wider than the figure has rows of its own.
legend_letters = 50
array legend_text[40]
array legend_style[40]
array legend_x[40]
array legend_row[40]
legend = 0
legend_next = 5.0
legend_rows = 1
legend_width(text) = 27 + text_width(text)
add_legend = "legend = legend + 1; \
if (legend > 1 && legend_next + legend_width(entry) > width) { legend_next = 5.0; legend_rows = legend_rows + 1 }; \
entry = legend_width(entry) > width ? in_lines(entry, legend_letters, 3) : entry; \
legend_text[legend] = entry; legend_style[legend] = style; legend_x[legend] = legend_next; \
legend_row[legend] = legend_rows; legend_rows = legend_rows + count_lines(entry) - 1; \
legend_next = legend_next + legend_width(entry)"
add_series = "do for [s = 1:series] { entry = text_of('series', s); style = number_of('style', s); eval add_legend }"
add_reference = "entry = reference; style = 20; eval add_legend"


# Where things are. `panels_height` is the drawing's; `axis_title` stands under the last panel.
title_height = 11.5
legend_height = 9.0
set_height = "panels_from = title_height + heads * line_height + 4 + legend_rows * legend_height + 3; \
notes_height = (notes + warnings) * line_height + (notes + warnings > 0 ? 4 : 0); \
height = panels_from + panels_height + 11 + notes_height"

# Writes all that is round the panels, by a plot of nothing.
draw_around = "unset border; unset tics; unset grid; unset label; unset arrow; set xrange [0:1]; set yrange [0:1]; \
set label 1 title_text at screen x_at(5), y_at(8) left \
    font sprintf('sans-serif,%g', title_size(title_text) * font_scale); \
do for [i = 1:heads] { set label 1 + i text_of('head', i) at screen x_at(5), y_at(title_height + line_height * i - 1) \
    left font small textcolor rgb frame }; \
notes_from = height - notes_height + 2; \
do for [i = 1:notes] { set label 20 + i text_of('note', i) at screen x_at(5), \
    y_at(notes_from + line_height * (i - 0.5)) left font small textcolor rgb frame }; \
do for [i = 1:warnings] { set label 30 + i ''.(i == 1 ? '! ' : '   ').text_of('warning', i) \
    at screen x_at(5), y_at(notes_from + line_height * (notes + i - 0.5)) left font small textcolor rgb '#a02020' }; \
do for [i = 1:legend] { x = legend_x[i]; \
    y = y_at(panels_from - 3 - legend_height * (legend_rows - legend_row[i] + 0.5)); \
    style = legend_style[i]; eval (style < 100 ? draw_line_entry : draw_box_entry); \
    do for [k = 1:count_lines(legend_text[i])] { set label 80 + 3 * i + k line_of(legend_text[i], k) \
        at screen x_at(x + 20), y - (k - 1) * legend_height / height left font normal } }; \
set label 39 axis_title at screen x_at(left_margin + 0.5 * plot_width), y_at(panels_from + panels_height + 4.5) \
    center font normal; \
set lmargin at screen 0; set rmargin at screen 1; set bmargin at screen 0; set tmargin at screen 1; plot NaN; \
unset label; unset arrow; unset object; set border 15 lw 0.5 lc rgb frame; set tics; \
set grid back lt 1 lw 0.35 lc rgb faint"
draw_line_entry = "if (style != 31) { \
    set arrow 40 + i from screen x_at(x), y to screen x_at(x + 16), y nohead ls style }; \
set label 40 + i '' at screen x_at(x + 8), y point ls style"
draw_box_entry = "set object 40 + i rectangle from screen x_at(x + 4), y - 2.5 / height \
    to screen x_at(x + 16), y + 2.5 / height \
    fillcolor rgb word(parts, style - 100) fillstyle solid 1 border lc rgb frame lw 0.4"

# For `stats`, which passes over what is off the axes.
reset_axes = "set xrange [*:*]; set yrange [*:*]; unset logscale"

# Puts a panel between two heights and writes its name and the name of its y axis.
set_panel = "set lmargin at screen x_at(panel_left); set rmargin at screen x_at(panel_right); \
set tmargin at screen y_at(panel_top); set bmargin at screen y_at(panel_bottom); unset label; unset arrow; \
do for [i = 1:count_lines(panel_text)] { set label 20 + i line_of(panel_text, i) \
    at screen x_at(5), y_at(panel_top - 5 - line_height * (count_lines(panel_text) - i)) left font small }; \
set label 2 y_title at screen x_at(panel_left - 27), y_at(0.5 * (panel_top + panel_bottom)) center rotate by 90 \
    font normal"
