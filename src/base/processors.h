/* How many processors this process may keep busy: those it may run on, or fewer if
 * a control group limits its share of their time, as containers do. */
#ifndef TFPROF_BASE_PROCESSORS_H
#define TFPROF_BASE_PROCESSORS_H

#include <stddef.h>

/* At least 1. The control group is read once per process. */
size_t processors_count(void);

/* What a quota allows, rounded up. `text` is "QUOTA PERIOD" in microseconds, as in
 * cpu.max of version 2, or the contents of version 1's cpu.cfs_quota_us and
 * cpu.cfs_period_us. SIZE_MAX: no limit ("max", -1, or not a quota). */
size_t processors_of_quota(const char *text);

/* What the control groups in `membership`, the text of /proc/self/cgroup, and those
 * above them allow; they are looked for below `root`, normally /sys/fs/cgroup.
 * SIZE_MAX: no limit. */
size_t processors_of_groups(const char *root, const char *membership);

#endif
