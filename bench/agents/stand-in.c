/*
 * An agent that costs next to nothing, so that what is measured around it is the gateway and not the agent. It reads its
 * prompt from standard input and prints a turn as the official CLI does with partial output.
 *
 * The prompt's last words say what to do: `deltas=N` (1), `pace=MS` between them (0: as fast as they are read),
 * `size=BYTES` of each (24, the least), `tool=BYTES` for one tool result of that size before the first word. The only option of its own is `--boot MS`, the
 * time it takes before it reads anything. Each delta is the time it was written at, by the monotonic clock in
 * microseconds: `<000000123456789> and so on`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SESSION "\"session_id\":\"5b0e0c1a-1111-4222-8333-94b1f0a10001\""
#define PADDING " and so"
#define LEAST_BYTES 24

static char *prompt;
static size_t prompt_bytes;

static void wait_ms(long ms) {
  struct timespec time = {ms / 1000, (ms % 1000) * 1000000L};
  while (nanosleep(&time, &time) != 0) continue;
}

static long long clock_us(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (long long)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void read_prompt(void) {
  size_t room = 1 << 16;
  ssize_t got;
  prompt = malloc(room + 1);
  while ((got = read(0, prompt + prompt_bytes, room - prompt_bytes)) > 0) {
    prompt_bytes += (size_t)got;
    if (prompt_bytes == room) prompt = realloc(prompt, (room *= 2) + 1);
  }
  prompt[prompt_bytes] = 0;
}

static long wanted(const char *name, long otherwise) {
  size_t tail = prompt_bytes > 256 ? prompt_bytes - 256 : 0;
  const char *found = strstr(prompt + tail, name);
  return found == NULL ? otherwise : atol(found + strlen(name));
}

static void print_escaped(const char *text, size_t bytes) {
  size_t from = 0;
  for (size_t at = 0; at < bytes; at++) {
    unsigned char byte = (unsigned char)text[at];
    if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
    fwrite(text + from, 1, at - from, stdout);
    printf("\\u%04x", byte);
    from = at + 1;
  }
  fwrite(text + from, 1, bytes - from, stdout);
}

static void print_tool(long bytes) {
  char piece[4096];
  memset(piece, 'x', sizeof piece);
  fputs("{\"type\":\"tool_call\",\"subtype\":\"started\",\"call_id\":\"call-1\",\"tool_call\":{\"readToolCall\":"
        "{\"args\":{\"path\":\"big.txt\"}}}," SESSION ",\"timestamp_ms\":1790000000001}\n", stdout);
  fputs("{\"type\":\"tool_call\",\"subtype\":\"completed\",\"call_id\":\"call-1\",\"tool_call\":{\"readToolCall\":"
        "{\"args\":{\"path\":\"big.txt\"},\"result\":{\"success\":{\"content\":\"", stdout);
  for (long left = bytes; left > 0; left -= (long)sizeof piece)
    fwrite(piece, 1, left < (long)sizeof piece ? (size_t)left : sizeof piece, stdout);
  fputs("\"}}}}," SESSION ",\"timestamp_ms\":1790000000002}\n", stdout);
}

int main(int count, char **words) {
  static char buffer[1 << 16];
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  for (int at = 1; at < count; at++) {
    if (strcmp(words[at], "--version") == 0) return puts("2026.09.15-be9c4a1") < 0;
    if (strcmp(words[at], "--boot") == 0 && at + 1 < count) wait_ms(atol(words[at + 1]));
  }
  read_prompt();
  long deltas = wanted("deltas=", 1), pace = wanted("pace=", 0), tool = wanted("tool=", 0);
  size_t size = (size_t)wanted("size=", LEAST_BYTES);
  char *answer = malloc((size_t)deltas * size + 1), *end = answer;
  fputs("{\"type\":\"system\",\"subtype\":\"init\",\"apiKeySource\":\"login\",\"cwd\":\"/\"," SESSION
        ",\"model\":\"Auto\",\"permissionMode\":\"default\"}\n", stdout);
  fputs("{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"", stdout);
  print_escaped(prompt, prompt_bytes);
  fputs("\"}]}," SESSION "}\n", stdout);
  if (tool > 0) print_tool(tool);
  if (pace > 0) fflush(stdout);
  for (long at = 0; at < deltas; at++) {
    if (pace > 0) wait_ms(pace);
    memset(end + sprintf(end, "<%015lld>" PADDING, clock_us(CLOCK_MONOTONIC)), 'x', size - LEAST_BYTES);
    end += size;
    *end = 0;
    printf("{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"%s\"}]},"
           SESSION ",\"timestamp_ms\":%lld}\n", end - size, clock_us(CLOCK_REALTIME) / 1000);
    if (pace > 0 || at == 0) fflush(stdout);
  }
  printf("{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"%s\"}]},"
         SESSION "}\n", answer);
  printf("{\"type\":\"result\",\"subtype\":\"success\",\"duration_ms\":1,\"is_error\":false,\"result\":\"%s\"," SESSION
         ",\"usage\":{\"inputTokens\":1,\"outputTokens\":%ld,\"cacheReadTokens\":0,\"cacheWriteTokens\":0}}\n",
         answer, deltas);
  return fflush(stdout);
}
