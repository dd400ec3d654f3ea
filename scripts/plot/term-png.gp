# PNG: 5 pixels a point, 360 dots an inch at a column's width. pngcairo where it is built in, else png.
# SPDX-License-Identifier: BSD-3-Clause
font_scale = 3.75
numbers_up = 0.35
if (strstrt(GPVAL_TERMINALS, "pngcairo") > 0) {
    point_scale = 1
    set terminal pngcairo noenhanced size 5 * width, 5 * height font "sans-serif,".sprintf("%g", 7 * font_scale) \
        linewidth 5 pointscale 5 dashlength 1.5 rounded background "white"
} else {
    point_scale = 5
    set terminal png noenhanced truecolor size 5 * width, 5 * height font "sans-serif,".sprintf("%g", 7 * font_scale) \
        linewidth 5 background "#ffffff"
}
