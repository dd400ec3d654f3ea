/* The control groups that this process is in, as folders: no library is asked. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_MACHINE_CGROUP_H
#define OVL_MACHINE_CGROUP_H

/* Calls `look` with the folder of each control group whose limits hold for this process: its own first, then each that
   this one is in, up to the topmost that can be seen from here. These are the groups of version 2, and those of version
   1 that have the controller ("memory", "cpu"); which files of a folder hold its limits is the caller's to know. Groups
   that a container does not see are not looked at. `root` is "", or a tree that holds the files of another machine
   (proc/self/cgroup, proc/self/mountinfo, and the mounts). See cgroups(7), cgroup_namespaces(7), and
   Documentation/admin-guide/cgroup-v2.rst of the kernel. */
void ovl_cgroup_visit(const char *root, const char *controller, void (*look)(void *of, const char *folder), void *of);

#endif
