# SVG: 3 units a point, so that a browser shows a column's chart at the width of a page.
# SPDX-License-Identifier: BSD-3-Clause
font_scale = 3.0
numbers_up = 0.8
point_scale = 1.45
set terminal svg noenhanced size 3 * width, 3 * height font "sans-serif,".sprintf("%g", 7 * font_scale) linewidth 3 \
    dashlength 0.75 rounded background "white"
