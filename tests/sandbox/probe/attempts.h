/* What the probe tries. Each attempt runs in a process of its own and yields 0 if it succeeded,
   which it must not, or the errno with which it was refused. */
#pragma once

struct attempt {
  const char* name;
  int (*run)(void);
};

/* Refused, but not by an errno of the kernel: the thing is not there, or is empty. */
#define ABSENT 200

/* 0 if a system call went through, else why not. */
int refused(long result);

/* 0 if the file can be opened with these flags. */
int opens(const char* path, int flags);

extern const struct attempt kernel_attempts[];
extern const struct attempt machine_attempts[];

/* Given on the command line: where listeners of the machine wait, and one of its processes. */
extern int outside_port;
extern const char* outside_socket;
extern int outside_process;
