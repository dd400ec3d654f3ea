# Text, for terminals: a character is 3 points wide, so that a column's chart has 80, and 6 high.
# SPDX-License-Identifier: BSD-3-Clause
font_scale = 1.0
numbers_up = 0.0
point_scale = 1
set terminal dumb noenhanced mono size int(width / 3), int(height / 6)
