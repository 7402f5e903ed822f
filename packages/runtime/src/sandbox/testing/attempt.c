/* Attempts on the walls of a sandbox that need a system call. Each exits with 0 when it got through. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char secret[64] = "CANARY-in-memory";

static int ok(long result) { return result < 0 ? 1 : 0; }

static socklen_t unix_address(struct sockaddr_un *address, const char *name, int is_abstract) {
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  strncpy(address->sun_path + is_abstract, name, sizeof address->sun_path - 2);
  return offsetof(struct sockaddr_un, sun_path) + is_abstract + strlen(name);
}

static int connects(int family, struct sockaddr *address, socklen_t length) {
  int fd = socket(family, SOCK_STREAM, 0);
  char byte;
  if (fd < 0 || connect(fd, address, length) < 0) return 1;
  return read(fd, &byte, 1) == 1 ? 0 : 1;
}

static int unix_socket(const char *name, int is_abstract) {
  struct sockaddr_un address;
  socklen_t length = unix_address(&address, name, is_abstract);
  return connects(AF_UNIX, (struct sockaddr *)&address, length);
}

static int tcp(const char *host, int port) {
  struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
  struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
  if (inet_pton(AF_INET6, host, &v6.sin6_addr) == 1) return connects(AF_INET6, (struct sockaddr *)&v6, sizeof v6);
  inet_pton(AF_INET, host, &v4.sin_addr);
  return connects(AF_INET, (struct sockaddr *)&v4, sizeof v4);
}

static int udp(int port) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  struct pollfd wait = {.fd = fd, .events = POLLIN};
  char byte = 'x';
  if (fd < 0 || sendto(fd, &byte, 1, 0, (struct sockaddr *)&to, sizeof to) < 0) return 1;
  return poll(&wait, 1, 500) == 1 && recv(fd, &byte, 1, 0) == 1 ? 0 : 1;
}

/* What the attempts are aimed at: a process of the same user outside, with a secret, sockets and shared memory. */
static int listener(int family, struct sockaddr *address, socklen_t length) {
  int one = 1, fd = socket(family, SOCK_STREAM, 0);
  if (family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
  if (bind(fd, address, length) < 0 || listen(fd, 16) < 0) return -1;
  return fd;
}

static int port_of(int fd) {
  struct sockaddr_in6 address;
  socklen_t length = sizeof address;
  getsockname(fd, (struct sockaddr *)&address, &length);
  return ntohs(address.sin6_port);
}

static int victim(const char *directory) {
  char path[108], name[64];
  struct sockaddr_un file, hidden;
  struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
  struct pollfd fds[5];
  key_t key = 0x43410000 + (getpid() & 0xffff);
  snprintf(path, sizeof path, "%s/other.sock", directory);
  snprintf(name, sizeof name, "caret-victim-%d", getpid());
  fds[0].fd = listener(AF_UNIX, (struct sockaddr *)&file, unix_address(&file, path, 0));
  fds[1].fd = listener(AF_UNIX, (struct sockaddr *)&hidden, unix_address(&hidden, name, 1));
  fds[2].fd = listener(AF_INET, (struct sockaddr *)&v4, sizeof v4);
  fds[3].fd = listener(AF_INET6, (struct sockaddr *)&v6, sizeof v6);
  fds[4].fd = socket(AF_INET, SOCK_DGRAM, 0);
  bind(fds[4].fd, (struct sockaddr *)&v4, sizeof v4);
  shmget(key, 4096, IPC_CREAT | 0600);
  msgget(key, IPC_CREAT | 0600);
  for (int i = 0; i < 5; i++) fds[i].events = POLLIN;
  printf("VICTIM=%d SOCK=%s ABSTRACT=%s TCP=%d TCP6=%d UDP=%d ADDRESS=%lu KEY=%d\n", getpid(), path, name, port_of(fds[2].fd),
         port_of(fds[3].fd), port_of(fds[4].fd), (unsigned long)(uintptr_t)secret, key);
  fflush(stdout);
  for (;;) {
    if (poll(fds, 5, -1) < 0) return 1;
    for (int i = 0; i < 4; i++)
      if (fds[i].revents) {
        int client = accept(fds[i].fd, NULL, NULL);
        if (write(client, "s", 1) == 1) close(client);
      }
    if (fds[4].revents) {
      struct sockaddr_in from;
      socklen_t length = sizeof from;
      char byte;
      if (recvfrom(fds[4].fd, &byte, 1, 0, (struct sockaddr *)&from, &length) == 1)
        sendto(fds[4].fd, "s", 1, 0, (struct sockaddr *)&from, length);
    }
  }
}

static void release_ipc(key_t key) {
  shmctl(shmget(key, 0, 0), IPC_RMID, NULL);
  msgctl(msgget(key, 0), IPC_RMID, NULL);
}

static int traced(pid_t pid) {
  if (ptrace(PTRACE_SEIZE, pid, 0, 0) < 0) return 1;
  ptrace(PTRACE_DETACH, pid, 0, 0);
  return 0;
}

static int memory(pid_t pid, unsigned long address) {
  char copy[sizeof secret];
  struct iovec here = {copy, sizeof copy}, there = {(void *)address, sizeof copy};
  if (process_vm_readv(pid, &here, 1, &there, 1, 0) < 0) return 1;
  return strcmp(copy, secret);
}

static int file_memory(pid_t pid, unsigned long address) {
  char path[64], copy[sizeof secret];
  snprintf(path, sizeof path, "/proc/%d/mem", pid);
  int fd = open(path, O_RDWR);
  return fd < 0 || pread(fd, copy, sizeof copy, address) < 0 || pwrite(fd, copy, sizeof copy, address) < 0;
}

/* A descriptor of another process, fetched out of it. */
static int stolen_descriptor(pid_t pid) {
  int handle = syscall(434, pid, 0);
  return handle < 0 || syscall(438, handle, 1, 0) < 0;
}

static int child_in_namespace(int flags) {
  static char stack[65536];
  int nothing(void *unused) { return unused != NULL; }
  pid_t pid = clone(nothing, stack + sizeof stack, flags | SIGCHLD, NULL);
  return pid < 0 || waitpid(pid, NULL, 0) < 0;
}

static int clone3_in_namespace(void) {
  struct { uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls; } args = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD, 0, 0, 0};
  long pid = syscall(435, &args, sizeof args);
  if (pid == 0) _exit(0);
  return pid < 0 || waitpid(pid, NULL, 0) < 0;
}

/* Root in a namespace of its own may mount: then nothing that is mounted read-only stays so. */
static int nested_mount(const char *directory) {
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0) return 1;
  return ok(mount("none", directory, "tmpfs", 0, NULL));
}

static int types_into_terminal(void) {
  int master, status;
  pid_t pid = forkpty(&master, NULL, NULL, NULL);
  if (pid == 0) _exit(ok(ioctl(0, TIOCSTI, "x")));
  return pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0;
}

static int key(const char *name, int is_added) {
  if (is_added) {
    long serial = syscall(SYS_add_key, "user", name, "CANARY", 6, -4);
    /* It expires by itself: nothing is left of a test. */
    return serial < 0 ? 1 : ok(syscall(SYS_keyctl, 15, serial, 120));
  }
  return ok(syscall(SYS_keyctl, 10, -4, "user", name, 0));
}

/* By its handle a file can be opened that no path leads to any more. */
static int by_handle(const char *path, const char *mount_path) {
  struct file_handle *handle = malloc(sizeof *handle + 128);
  int mount_id, mount_fd = open(mount_path, O_RDONLY);
  handle->handle_bytes = 128;
  if (mount_fd < 0 || name_to_handle_at(AT_FDCWD, path, handle, &mount_id, 0) < 0) return 1;
  return ok(open_by_handle_at(mount_fd, handle, O_RDONLY));
}

static int foreign_calls(void) {
#ifdef __x86_64__
  long result;
  /* getpid by the numbers of the 32-bit interface. */
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");
  return result > 0 ? 0 : 1;
#else
  return 1;
#endif
}

static int perf(void) {
  struct { uint32_t type, size; uint64_t config, period, sample, read, flags; char rest[80]; } event;
  memset(&event, 0, sizeof event);
  event.type = 1; /* software: page faults */
  event.config = 2;
  event.size = sizeof event;
  event.flags = 1 << 5 | 1 << 6; /* neither kernel nor hypervisor */
  return ok(syscall(SYS_perf_event_open, &event, 0, -1, -1, 0));
}

/* Makes a file that runs as its owner. */
static int set_id(const char *how, const char *path) {
  struct { unsigned long long flags, mode, resolve; } open_how = {O_CREAT | O_WRONLY, 06755, 0};
  umask(0);
  if (!strcmp(how, "creat")) return ok(creat(path, 06755));
  if (!strcmp(how, "open")) return ok(open(path, O_CREAT | O_WRONLY, 04755));
  if (!strcmp(how, "mknod")) return ok(mknod(path, S_IFREG | 04755, 0));
  if (!strcmp(how, "openat2")) return ok(syscall(437, AT_FDCWD, path, &open_how, sizeof open_how));
  if (!strcmp(how, "tmpfile")) {
    char name[64];
    int temporary = open(".", O_TMPFILE | O_WRONLY, 04755);
    snprintf(name, sizeof name, "/proc/self/fd/%d", temporary);
    return ok(temporary < 0 ? -1 : linkat(AT_FDCWD, name, AT_FDCWD, path, AT_SYMLINK_FOLLOW));
  }
  int fd = open(path, O_CREAT | O_WRONLY, 0755);
  if (!strcmp(how, "fchmod")) return ok(fchmod(fd, 04755));
  if (!strcmp(how, "fchmodat2")) return ok(syscall(452, AT_FDCWD, path, 04755, 0));
  return 1;
}

/* Exchanges two paths until it is killed. */
static int exchange(const char *one, const char *other) {
  for (;;) syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, 2 /* RENAME_EXCHANGE */);
}

static int ring(void) {
  char parameters[256] = {0};
  return ok(syscall(425, 1, parameters));
}

static int kernel_map(void) {
  uint32_t attributes[32] = {2, 4, 4, 1}; /* an array of one number */
  return ok(syscall(SYS_bpf, 0, attributes, sizeof attributes));
}

static int is(const char *one, const char *other) { return strcmp(one, other) == 0; }

int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "", *a = count > 2 ? words[2] : "", *b = count > 3 ? words[3] : "";
  if (is(what, "victim")) return victim(a);
  if (is(what, "release")) return release_ipc(atoi(a)), 0;
  if (is(what, "tcp")) return tcp(a, atoi(b));
  if (is(what, "udp")) return udp(atoi(a));
  if (is(what, "unix")) return unix_socket(a, 0);
  if (is(what, "abstract")) return unix_socket(a, 1);
  if (is(what, "socket")) return ok(socket(atoi(a), SOCK_RAW, 0)) && ok(socket(atoi(a), SOCK_STREAM, 0)) && ok(socket(atoi(a), SOCK_SEQPACKET, 0));
  if (is(what, "raw")) return ok(socket(AF_INET, SOCK_RAW, 1));
  if (is(what, "shm")) return ok(shmget(atoi(a), 0, 0));
  if (is(what, "msg")) return ok(msgget(atoi(a), 0));
  if (is(what, "signal")) return ok(kill(atoi(a), SIGCONT));
  if (is(what, "group")) return getpgid(atoi(a)) < 0 ? 1 : ok(kill(-getpgid(atoi(a)), 0));
  if (is(what, "trace")) return traced(atoi(a));
  if (is(what, "memory")) return memory(atoi(a), strtoul(b, NULL, 10));
  if (is(what, "mem-file")) return file_memory(atoi(a), strtoul(b, NULL, 10));
  if (is(what, "steal")) return stolen_descriptor(atoi(a));
  if (is(what, "unshare")) return ok(unshare(strtol(a, NULL, 0)));
  if (is(what, "clone")) return child_in_namespace(CLONE_NEWUSER);
  if (is(what, "clone3")) return clone3_in_namespace();
  if (is(what, "nested-mount")) return nested_mount(a);
  if (is(what, "setns")) { int fd = open(a, O_RDONLY); return fd < 0 ? 1 : ok(setns(fd, 0)); }
  if (is(what, "mount")) return ok(mount("none", a, "tmpfs", 0, NULL));
  if (is(what, "umount")) return ok(umount2(a, MNT_DETACH));
  if (is(what, "remount")) return ok(mount(NULL, a, NULL, MS_REMOUNT | MS_BIND, NULL));
  if (is(what, "fsopen")) return ok(syscall(430, "tmpfs", 0));
  if (is(what, "chroot")) return ok(chroot(a));
  if (is(what, "tiocsti")) return types_into_terminal();
  if (is(what, "key-add")) return key(a, 1);
  if (is(what, "key")) return key(a, 0);
  if (is(what, "handle")) return by_handle(a, b);
  if (is(what, "mknod")) return ok(mknod(a, S_IFCHR | 0600, makedev(1, 5)));
  if (is(what, "chown")) return ok(chown(a, 12345, 12345));
  if (is(what, "euid0")) return geteuid() == 0 ? 0 : 1;
  if (is(what, "i386")) return foreign_calls();
  if (is(what, "perf")) return perf();
  if (!strncmp(what, "set-id-", 7)) return set_id(what + 7, a);
  if (is(what, "exchange")) return exchange(a, b);
  if (is(what, "ring")) return ring();
  if (is(what, "bpf")) return kernel_map();
  if (is(what, "userfault")) return ok(syscall(SYS_userfaultfd, 1));
  if (is(what, "hostname")) { char name[65]; gethostname(name, sizeof name); return ok(sethostname(name, strlen(name))); }
  fprintf(stderr, "no such attempt: %s\n", what);
  return 99;
}
