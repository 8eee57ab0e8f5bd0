/* Tries to leave the sandbox that it is run in, in every way it knows, and prints a line for each:
   its name and the verdict. Exit code 1 if anything succeeded.

   usage: probe [--apart] [PORT [ABSTRACT-SOCKET-NAME [PROCESS]]]

   --apart gives each attempt namespaces of its own for its mounts and names, so that one that
   succeeds does not spoil the next: for a place where they are to succeed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attempts.h"

int outside_port = 0;
const char* outside_socket = "patchbay-probe";
int outside_process = 0;
static int apart = 0;

int refused(long result) { return result >= 0 ? 0 : errno; }

int opens(const char* path, int flags) {
  const int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK, 0600);
  if (fd < 0) return errno;
  close(fd);
  return 0;
}

/* One verdict; nonzero if the attempt succeeded. */
static int judge(const struct attempt* attempt) {
  const pid_t child = fork();
  if (child < 0) {
    printf("%-40s NOT TRIED: %s\n", attempt->name, strerror(errno));
    return 1;
  }
  if (child == 0) {
    alarm(10);
    if (apart && unshare(CLONE_NEWNS | CLONE_NEWUTS) != 0) _exit(errno);
    errno = 0;
    _exit(attempt->run());
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    if (WTERMSIG(status) == SIGALRM) {
      printf("%-40s HUNG\n", attempt->name);
      return 1;
    }
    printf("%-40s refused: killed by signal %d\n", attempt->name, WTERMSIG(status));
    return 0;
  }
  const int code = WEXITSTATUS(status);
  if (code == 0) {
    printf("%-40s SUCCEEDED\n", attempt->name);
    return 1;
  }
  printf("%-40s refused: %s\n", attempt->name,
         code == ABSENT ? "nothing there" : strerrorname_np(code));
  return 0;
}

int main(int argc, char** argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argc > 1 && strcmp(argv[1], "--apart") == 0) {
    apart = 1;
    --argc;
    ++argv;
  }
  if (argc > 1) outside_port = atoi(argv[1]);
  if (argc > 2) outside_socket = argv[2];
  if (argc > 3) outside_process = atoi(argv[3]);
  int tried = 0;
  int succeeded = 0;
  const struct attempt* const lists[] = {kernel_attempts, machine_attempts};
  for (int i = 0; i < 2; ++i) {
    for (const struct attempt* one = lists[i]; one->name; ++one, ++tried) succeeded += judge(one);
  }
  printf("%d attempts, %d succeeded\n", tried, succeeded);
  return succeeded != 0;
}
