/* Paths of control groups: /proc/self/cgroup names the group, /proc/self/mountinfo where its hierarchy is mounted. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/cgroup.h"
#include "base/path.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct visit {
    const char *root, *controller;
    void (*look)(void *of, const char *folder);
    void *of;
};

/* Is the word one of a list that commas separate? */
static bool lists(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ',') && (at[n] == ',' || at[n] == '\0'))
            return true;
    return false;
}

/* The group and all that it is in, below `top`. */
static void climb(const struct visit *v, const char *top, const char *group)
{
    struct ovl_path folder = ovl_path("%s%s%s", v->root, top, strcmp(group, "/") ? group : "");
    size_t least = strlen(v->root) + strlen(top);
    for (;;) {
        v->look(v->of, folder.text);
        char *slash = least < strlen(folder.text) ? strrchr(folder.text + least, '/') : NULL;
        if (!slash)
            return;
        *slash = '\0';
    }
}

/* A space is \040 there. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from; to++) {
        bool octal = from[0] == '\\' && strspn(from + 1, "01234567") >= 3;
        *to = octal ? (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0')) : *from;
        from += octal ? 4 : 1;
    }
    *to = '\0';
}

/* "36 35 0:31 /jobs /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu": which group stands where. False:
   it is no mount of the hierarchy. */
static bool read_mount(char *line, const char *controller, bool unified, char **shown, char **at)
{
    char *rest = strstr(line, " - "), *word[5] = {NULL}, *save, type[16], options[512];
    if (!rest || sscanf(rest + 3, "%15s %*s %511s", type, options) != 2 ||
        strcmp(type, unified ? "cgroup2" : "cgroup") != 0 || (!unified && !lists(options, controller)))
        return false;
    *rest = '\0';
    for (int i = 0; i < 5; i++)
        if (!(word[i] = strtok_r(i ? NULL : line, " ", &save)))
            return false;
    unescape(word[3]);
    unescape(word[4]);
    *shown = word[3];
    *at = word[4];
    return true;
}

/* What is left of the path of a group below another; NULL: it is not in that one. Paths begin at the root of this
   process's namespace: "/.." is a group above it, whose name cannot be known, and which has all that are in it. */
static const char *below(const char *group, const char *other)
{
    size_t n = strcmp(other, "/") == 0 ? 0 : strlen(other);
    if (strncmp(group, "/..", 3) == 0)
        return NULL;
    if (strncmp(other, "/..", 3) == 0)
        return strspn(other, "/.") == n ? "" : NULL;
    return strncmp(group, other, n) == 0 && (group[n] == '/' || group[n] == '\0') ? group + n : NULL;
}

static void visit(const struct visit *v, const char *group, bool unified)
{
    char *line = NULL, *shown, *at;
    size_t room = 0;
    bool found = false;
    FILE *in = fopen(ovl_path("%s/proc/self/mountinfo", v->root).text, "re");
    while (in && getline(&line, &room, in) > 0) {
        const char *rest = read_mount(line, v->controller, unified, &shown, &at) ? below(group, shown) : NULL;
        if (rest)
            climb(v, at, rest);
        found = found || rest;
    }
    if (in)
        fclose(in);
    free(line);
    if (found || strncmp(group, "/..", 3) == 0)
        return;
    /* Where they usually are. The path may be one of outside a container, and only the topmost group is there. */
    climb(v, ovl_path("/sys/fs/cgroup%s%s", unified ? "" : "/", unified ? "" : v->controller).text, group);
}

void ovl_cgroup_visit(const char *root, const char *controller, void (*look)(void *of, const char *folder), void *of)
{
    const struct visit v = {.root = root, .controller = controller, .look = look, .of = of};
    char *line = NULL;
    size_t room = 0;
    FILE *in = fopen(ovl_path("%s/proc/self/cgroup", root).text, "re");
    while (in && getline(&line, &room, in) > 0) { /* "4:cpu,cpuacct:/jobs/1", "0::/jobs/1" */
        char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        if (!controllers[1] || lists(controllers + 1, controller))
            visit(&v, group, !controllers[1]);
    }
    if (in)
        fclose(in);
    free(line);
}
