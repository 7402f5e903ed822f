/*
 * The least that anyone can do to hear an agent: start it, give it the prompt from a file, read its pipe. Prints the
 * microseconds to the first word. Usage: direct PROMPT-FILE AGENT [ARGUMENT...]
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static long long clock_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (long long)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

int main(int count, char **words) {
  static char buffer[1 << 20];
  static const char mark[] = "\"text\":\"<";
  int output[2], agent, status;
  posix_spawn_file_actions_t actions;
  if (count < 3 || pipe2(output, O_CLOEXEC) != 0) return 1;
  long long started = clock_us(), heard = 0;
  posix_spawn_file_actions_init(&actions);
  /* The file itself is the agent's input: nothing has to be copied. */
  posix_spawn_file_actions_addopen(&actions, 0, words[1], O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output[1], 1);
  if (posix_spawn(&agent, words[2], &actions, NULL, words + 2, environ) != 0) return 1;
  close(output[1]);
  size_t kept = 0;
  ssize_t got;
  while ((got = read(output[0], buffer + kept, sizeof buffer - kept)) > 0) {
    if (heard != 0) continue;
    size_t bytes = kept + (size_t)got;
    if (memmem(buffer, bytes, mark, sizeof mark - 1) != NULL) heard = clock_us();
    kept = bytes < sizeof mark ? bytes : sizeof mark;
    memmove(buffer, buffer + bytes - kept, kept);
  }
  waitpid(agent, &status, 0);
  printf("%lld\n", heard - started);
  return heard == 0;
}
