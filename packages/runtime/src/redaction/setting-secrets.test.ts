import { describe, expect, it } from "vitest";
import { createRedactor } from "./redactor.ts";
import { secretsAmong } from "./setting-secrets.ts";

const isSecret = (name: string, value: string): boolean => secretsAmong({ [name]: value }).length === 1;
const mixed = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA";

describe("A setting", () => {
  it.each([
    ["NODE_ENV", "production"],
    ["accept", "application/json"],
    ["content-type", "application/json; charset=utf-8"],
    ["accept-language", "en-US,en;q=0.9"],
    ["user-agent", "caret/1.2.3 (linux)"],
    ["LANG", "en_US.UTF-8"],
    ["TZ", "Europe/Berlin"],
    ["NODE_OPTIONS", "--max-old-space-size=4096"],
    ["LOG_LEVEL", "verbose"],
    ["DATABASE_HOST", "db.internal.example.com"],
    ["API_URL", "https://api.example.com/v1?format=json"],
    ["WORK_DIR", "/home/ada/projects/caret-2"],
    ["GOOGLE_APPLICATION_CREDENTIALS", "/home/ada/.config/key-2.json"],
    ["GIT_COMMIT", "3f786850e387550fdab836ed7e6dc881de23001b"],
    ["PROJECT_ID", "123e4567-e89b-12d3-a456-426614174abc"],
    ["MAX_TOKENS", "128000"],
    ["TOKEN_LIMIT", "4096"],
    ["SORT_KEY", "created_at"],
    ["AUTH", "enabled"],
    ["x-auth-mode", "interactive"],
    ["API_TOKEN", `\${API_TOKEN}`],
    ["POSTGRES_PASSWORD", "postgres"],
    ["FEATURES", "search,plans,approvals"],
    ["IMAGE", "registry.example.com/team/app:2024-11-05"],
    ["DEBUG", "caret:*,http"],
    ["PUBLIC_KEY", "ssh-ed25519"],
    ["NODE_OPTIONS", "--max-old-space-size=4096"],
    ["user-agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36"],
  ])("that is harmless is no secret: %s=%s", (name, value) => {
    expect(isSecret(name, value)).toBe(false);
  });

  it.each([
    ["GITHUB_TOKEN", "quilt-heron-amber"],
    ["DB_PASSWORD", "hunter2hunter2"],
    ["authorization", "Bearer hush-hush-2"],
    ["authorization", "Basic YWRhOmxvdmVsYWNl"],
    ["x-api-key", "9c2f7d31"],
    ["cookie", "session=4f8a2c; theme=dark"],
    ["FILES_KEY", "hush-hush-1"],
    ["MY_OWN", 'moss+lantern/71 "vane"?'],
    ["MY_OWN", `ghp_${mixed}${mixed}`],
    ["MY_OWN", mixed],
    ["x-custom", `${mixed.toLowerCase()}-${mixed}`],
    ["DATABASE_URL", "postgres://app:s3cr3t@db:5432/app"],
  ])("that grants access is a secret: %s=%s", (name, value) => {
    expect(isSecret(name, value)).toBe(true);
  });

  it("with a scheme before its secret is redacted with and without it", () => {
    const redactor = createRedactor({ secrets: secretsAmong({ authorization: "Bearer hush-hush-2" }) });
    expect(redactor.redactText("sent Bearer hush-hush-2, kept hush-hush-2")).toBe(
      "sent Bearer [redacted], kept [redacted]",
    );
  });
});
