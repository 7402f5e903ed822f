/*
 * A client for many streams at once that costs next to nothing, in a process of its own: one epoll loop, no parsing but
 * of HTTP's chunks and of the times that the agent wrote into its deltas. So the processor is left to the gateway and to
 * the agents.
 *
 * Standard input: `ADDRESS PORT ORDER MS DELTAS COUNT\n`, then COUNT times `BYTES\n` and a request as it goes over the
 * wire. ORDER is `spread` (requests begin spread over MS milliseconds) or `sequence` (each begins MS after the end of
 * the one before, on the same connection while that is open). DELTAS is how many to count of each answer: what a raw
 * answer repeats after them is not.
 *
 * Standard output: JSON. For each request `[status, first token, whole answer, deltas, lateness]`, then how long each
 * delta was on its way, then the processor time of this program; all times in microseconds, -1 for what did not happen.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MARK_DIGITS 15
#define GIVE_UP_US 120000000LL

struct stream {
  char *request;
  size_t bytes, sent;
  int socket, status, is_done, is_whole;
  long long planned, started, first, ended;
  long deltas;
  /* Of the body, or of the chunk, if the body comes in chunks; -1 when only the end of the connection ends it. */
  long long left;
  /* In chunks: where in the lines between them it is, and the size that was read so far. */
  enum { PLAIN, SIZE, EXTENSION, DATA, AFTER_DATA, LAST_LINE } chunk;
  long long chunk_size;
  /* How much of a mark `<000000123456789>` was read, and its number so far. */
  int mark;
  long long mark_us;
};

static struct sockaddr_in address;
static int loop, is_sequence, open_socket = -1;
static long wanted, pause_ms, total, done;
static struct stream *streams;
static int *latencies;
static long latency_count, latency_room;
static char buffer[1 << 18];

static long long now_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (long long)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void note_latency(long long us) {
  if (latency_count == latency_room) {
    latency_room = latency_room == 0 ? 1 << 14 : latency_room * 2;
    latencies = realloc(latencies, (size_t)latency_room * sizeof *latencies);
    if (latencies == NULL) fail("realloc");
  }
  latencies[latency_count++] = (int)us;
}

static void watch(struct stream *stream, int how) {
  struct epoll_event event = {EPOLLIN | (stream->sent < stream->bytes ? EPOLLOUT : 0), {.ptr = stream}};
  epoll_ctl(loop, how, stream->socket, &event);
}

static void end(struct stream *stream, int is_whole) {
  if (stream->is_done) return;
  stream->is_done = 1;
  stream->is_whole = is_whole;
  stream->ended = now_us();
  done++;
  epoll_ctl(loop, EPOLL_CTL_DEL, stream->socket, NULL);
  if (is_sequence && is_whole && stream->left != -1) open_socket = stream->socket;
  else close(stream->socket);
}

static void send_rest(struct stream *stream) {
  while (stream->sent < stream->bytes) {
    ssize_t put = send(stream->socket, stream->request + stream->sent, stream->bytes - stream->sent, MSG_NOSIGNAL);
    if (put < 0 && (errno == EAGAIN || errno == ENOTCONN)) return;
    if (put < 0) return end(stream, 0);
    stream->sent += (size_t)put;
  }
  watch(stream, EPOLL_CTL_MOD);
}

static void begin(struct stream *stream) {
  int on = 1;
  stream->started = now_us();
  stream->socket = open_socket;
  open_socket = -1;
  if (stream->socket == -1) {
    stream->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (stream->socket < 0) fail("socket");
    setsockopt(stream->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connect(stream->socket, (struct sockaddr *)&address, sizeof address);
  }
  watch(stream, EPOLL_CTL_ADD);
  send_rest(stream);
}

static void find_marks(struct stream *stream, const char *from, const char *end, long long at) {
  while (from < end && stream->deltas < wanted) {
    if (stream->mark == 0) {
      from = memchr(from, '<', (size_t)(end - from));
      if (from == NULL) return;
      from++;
      stream->mark = 1;
      stream->mark_us = 0;
    } else if (stream->mark <= MARK_DIGITS && *from >= '0' && *from <= '9') {
      stream->mark_us = stream->mark_us * 10 + (*from++ - '0');
      stream->mark++;
    } else {
      if (stream->mark > MARK_DIGITS && *from == '>') {
        if (stream->deltas++ == 0) stream->first = at;
        note_latency(at - stream->mark_us);
      }
      stream->mark = 0;
    }
  }
}

/* Gives where the body begins. The head always comes in one piece from a server on this machine. */
static const char *read_head(struct stream *stream, const char *end) {
  static const char name[] = "\r\ncontent-length:";
  const char *body = memmem(buffer, (size_t)(end - buffer), "\r\n\r\n", 4);
  if (body == NULL) return NULL;
  buffer[body - buffer] = 0;
  stream->status = atoi(buffer + strlen("HTTP/1.1 "));
  const char *length = strcasestr(buffer, name);
  stream->left = length == NULL ? -1 : atoll(length + strlen(name));
  stream->chunk = strcasestr(buffer, "\r\ntransfer-encoding: chunked") == NULL ? PLAIN : SIZE;
  return body + 4;
}

static int hex(char digit) {
  return digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10;
}

/* One byte of the lines between chunks. Gives whether it is the last of the answer. */
static int read_framing(struct stream *stream, char byte) {
  if (stream->chunk == SIZE && isxdigit((unsigned char)byte)) {
    stream->chunk_size = stream->chunk_size * 16 + hex(byte);
  } else if (stream->chunk == SIZE && byte != '\n') {
    stream->chunk = EXTENSION;
  } else if (byte == '\n') {
    if (stream->chunk == LAST_LINE) return 1;
    if (stream->chunk == AFTER_DATA) stream->chunk = SIZE;
    else stream->chunk = stream->chunk_size == 0 ? LAST_LINE : DATA;
    stream->left = stream->chunk_size;
    stream->chunk_size = 0;
  }
  return 0;
}

/* Gives whether the answer is whole. */
static int read_body(struct stream *stream, const char *from, const char *end, long long at) {
  while (from < end) {
    if (stream->chunk != PLAIN && stream->chunk != DATA) {
      if (read_framing(stream, *from++)) return 1;
      continue;
    }
    const char *stop = stream->left >= 0 && end - from > stream->left ? from + stream->left : end;
    find_marks(stream, from, stop, at);
    if (stream->left >= 0) stream->left -= stop - from;
    from = stop;
    if (stream->chunk == DATA && stream->left == 0) stream->chunk = AFTER_DATA;
  }
  return stream->chunk == PLAIN && stream->left == 0;
}

static void take(struct stream *stream) {
  for (;;) {
    ssize_t got = recv(stream->socket, buffer, sizeof buffer, 0);
    if (got < 0 && errno == EAGAIN) return;
    /* The end of the connection is the answer's only where nothing else ends it. */
    if (got <= 0) return end(stream, got == 0 && stream->chunk == PLAIN && stream->left == -1);
    long long at = now_us();
    const char *body = stream->status == 0 ? read_head(stream, buffer + got) : buffer;
    if (body == NULL) return end(stream, 0);
    if (read_body(stream, body, buffer + got, at)) return end(stream, 1);
    if ((size_t)got < sizeof buffer) return;
  }
}

static void read_plan(void) {
  char host[64], order[16];
  int port;
  if (scanf("%63s %d %15s %ld %ld %ld", host, &port, order, &pause_ms, &wanted, &total) != 6) fail("plan");
  is_sequence = strcmp(order, "sequence") == 0;
  address.sin_family = AF_INET;
  address.sin_port = htons((unsigned short)port);
  if (inet_pton(AF_INET, host, &address.sin_addr) != 1) fail(host);
  streams = calloc((size_t)total, sizeof *streams);
  for (long at = 0; at < total; at++) {
    struct stream *stream = streams + at;
    if (scanf("%zu", &stream->bytes) != 1 || getchar() != '\n') fail("request");
    stream->request = malloc(stream->bytes);
    stream->first = -1;
    stream->left = -2; /* no head yet */
    if (fread(stream->request, 1, stream->bytes, stdin) != stream->bytes) fail("request");
  }
}

static void run(void) {
  struct epoll_event events[256];
  long begun = 0;
  long long origin = now_us(), next = origin, progress = origin;
  while (done < total) {
    long long now = now_us();
    while (begun < total && now >= next && (!is_sequence || done == begun)) {
      streams[begun].planned = next;
      begin(streams + begun++);
      if (!is_sequence) next = origin + pause_ms * 1000 * begun / total;
      now = now_us();
    }
    if (now - progress > GIVE_UP_US) return;
    long long wait_us = begun < total && (!is_sequence || done == begun) ? next - now : 1000000;
    long before = done;
    int ready = epoll_wait(loop, events, 256, wait_us < 0 ? 0 : (int)((wait_us + 999) / 1000));
    if (ready > 0) progress = now_us();
    for (int at = 0; at < ready; at++) {
      struct stream *stream = events[at].data.ptr;
      if (events[at].events & EPOLLOUT) send_rest(stream);
      if (!stream->is_done && events[at].events & (EPOLLIN | EPOLLERR | EPOLLHUP)) take(stream);
    }
    if (is_sequence && done > before) next = now_us() + pause_ms * 1000;
  }
}

static void print_result(void) {
  struct rusage usage;
  fputs("{\"answers\":[", stdout);
  for (long at = 0; at < total; at++) {
    struct stream *stream = streams + at;
    printf("%s[%d,%lld,%lld,%ld,%lld]", at == 0 ? "" : ",", stream->status,
           stream->first < 0 ? -1 : stream->first - stream->started,
           stream->is_whole ? stream->ended - stream->started : -1, stream->deltas, stream->started - stream->planned);
  }
  fputs("],\"latencies\":[", stdout);
  for (long at = 0; at < latency_count; at++) printf("%s%d", at == 0 ? "" : ",", latencies[at]);
  getrusage(RUSAGE_SELF, &usage);
  printf("],\"cpu\":%lld}\n", (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000LL + usage.ru_utime.tv_usec +
                                 usage.ru_stime.tv_usec);
}

int main(void) {
  loop = epoll_create1(0);
  read_plan();
  run();
  print_result();
  return fflush(stdout);
}
