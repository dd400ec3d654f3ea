# Completion of ovl for bash: commands and their options, by what --help says, so that there is no second list; else names of
# files.   . completion.bash
# SPDX-License-Identifier: BSD-3-Clause
_ovl() {
    local ovl=$1 word=$2 words
    COMPREPLY=()
    if [ "$COMP_CWORD" -le 1 ]; then
        words="$("$ovl" --help 2>/dev/null | awk '/^  [a-z]+ / { print $1 }') --help --version"
    elif [[ $word == -* ]]; then
        words=$("$ovl" "${COMP_WORDS[1]}" --help 2>/dev/null | grep -oE '^ +(-[a-zA-Z], )?--[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+')
    else
        compopt -o default 2>/dev/null || true
        return 0
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -F _ovl ovl
