import type { CatalogueModel } from "../../config/model-catalogue.ts";
import { parseRecord } from "../../json/json.ts";
import { toModelList } from "../model-answers.ts";
import type { ApiKeys } from "./api-keys.ts";
import type { Logins } from "./logins.ts";
import type { Tokens } from "./tokens.ts";

/** A request that is plain HTTP and JSON, without Connect. */
export interface RestRequest {
  readonly method: string;
  readonly url: URL;
  readonly bearer: string;
  readonly body: string;
}

export interface RestAnswer {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
}

export interface RestWorld {
  readonly tokens: Tokens;
  readonly keys: ApiKeys;
  readonly logins: Logins;
  readonly models: readonly CatalogueModel[];
}

/** The answer to a plain request; undefined where there is no such path. */
export function answerRest(request: RestRequest, world: RestWorld): RestAnswer | undefined {
  return routes[`${request.method} ${request.url.pathname}`]?.(request, world);
}

type Route = (request: RestRequest, world: RestWorld) => RestAnswer;

const routes: Readonly<Record<string, Route>> = {
  "POST /auth/exchange_user_api_key": ({ bearer }, { tokens, keys }) => {
    if (bearer.includes(".")) {
      const renewed = tokens.refresh(bearer);
      return renewed === undefined ? refuse(401, "Invalid refresh token") : json(renewed);
    }
    if (!keys.isGood(bearer)) return refuse(401, "Invalid User API Key");
    return json({ ...tokens.issue(bearer), authId: "auth0|simulated" });
  },
  "POST /auth/poll": ({ body }, { logins }) => {
    const { uuid, verifier } = parseRecord(body) ?? {};
    return poll(String(uuid), String(verifier), logins);
  },
  // Older clients put the verifier into the address, where logs keep it.
  "GET /auth/poll": ({ url }, { logins }) =>
    poll(url.searchParams.get("uuid") ?? "", url.searchParams.get("verifier") ?? "", logins),
  "GET /loginDeepControl": ({ url }, { logins }) => {
    logins.approve(url.searchParams.get("uuid") ?? "", url.searchParams.get("challenge") ?? "");
    return {
      status: 200,
      type: "text/html",
      body: "<!doctype html><title>Simulated login</title><p>You are logged in.\n",
    };
  },
  "POST /oauth/token": ({ body }, { tokens }) => {
    const { grant_type: grant, refresh_token: refreshToken } = parseRecord(body) ?? {};
    if (grant !== "refresh_token") return refuse(400, "unsupported_grant_type");
    const renewed = tokens.refresh(String(refreshToken));
    if (renewed === undefined) return json({ access_token: "", id_token: "", shouldLogout: true });
    return json({
      access_token: renewed.accessToken,
      id_token: "",
      refresh_token: renewed.refreshToken,
      shouldLogout: false,
    });
  },
  "GET /v1/models": (_request, { models }) => json(toModelList(models)),
  "GET /v1/me": () =>
    json({ apiKeyName: "Simulated", userEmail: "ada@example.com", createdAt: "2026-01-01T00:00:00Z" }),
};

function poll(uuid: string, verifier: string, logins: Logins): RestAnswer {
  const answer = logins.poll(uuid, verifier);
  // These words mean "not yet"; other words with this status mean that the path is unknown.
  return answer === undefined ? { status: 404, type: "text/plain", body: "Not found" } : json(answer);
}

function json(value: object): RestAnswer {
  return { status: 200, body: JSON.stringify(value) };
}

function refuse(status: number, error: string): RestAnswer {
  return { status, body: JSON.stringify({ error }) };
}
