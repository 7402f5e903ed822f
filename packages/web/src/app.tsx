import { useEffect } from "react";
import { Link, Route, Router, Switch, useRoute } from "wouter";
import { useHashLocation } from "wouter/use-hash-location";
import { usePageData } from "./data/page-data-context.tsx";
import { usePageState } from "./data/page-hooks.ts";
import { Empty } from "./parts/placeholders.tsx";
import { queryOf } from "./search/found-place.ts";
import { SessionsScreen } from "./sessions/sessions-screen.tsx";
import { Layout } from "./shell/layout.tsx";
import {
  AgentsScreen,
  ChangesScreen,
  CompareScreen,
  ComparisonScreen,
  ConnectScreen,
  DoctorScreen,
  FleetScreen,
  NewSessionScreen,
  ReplayScreen,
  SearchScreen,
  SessionScreen,
  SettingsScreen,
  UsageScreen,
} from "./shell/screens.tsx";
import { SignInScreen } from "./shell/sign-in-screen.tsx";
import { StartScreen } from "./shell/start-screen.tsx";
import { useAttention } from "./shell/use-attention.ts";

/** The page. */
export function App() {
  const signIn = usePageState(({ signIn }) => signIn);
  if (signIn === "checking") return <StartScreen />;
  if (signIn === "out") return <SignInScreen />;
  return (
    <Router hook={useHashLocation}>
      <Attention />
      <Ahead />
      <Layout>
        <Screens />
      </Layout>
    </Router>
  );
}

function Attention() {
  useAttention();
  return null;
}

/** Long enough for what is asked for now to be there. */
const AHEAD_MS = 500;

/** What will be needed soon: the log of the session in the address, while its screen is fetched, and that screen. */
function Ahead() {
  const { logs } = usePageData();
  const [, params] = useRoute<{ readonly id: string }>("/s/:id");
  const sessionId = params?.id;
  useEffect(() => (sessionId === undefined ? undefined : logs.open(sessionId)), [logs, sessionId]);
  useEffect(() => {
    // When it cannot be had now, it is fetched when it is needed.
    const timer = setTimeout(() => void SessionScreen.fetch().catch(() => undefined), AHEAD_MS);
    return () => clearTimeout(timer);
  }, []);
  return null;
}

function Screens() {
  return (
    <Switch>
      <Route component={SessionsScreen} path="/" />
      <Route component={NewSessionScreen} path="/new" />
      <Route path="/s/:id">{({ id }) => <SessionScreen key={id} sessionId={id} />}</Route>
      <Route path="/s/:id/at/:seq">
        {({ id, seq }) => <SessionScreen at={Number(seq)} key={`${id} ${seq}`} sessionId={id} />}
      </Route>
      <Route path="/s/:id/changes">{({ id }) => <ChangesScreen key={id} sessionId={id} />}</Route>
      <Route path="/s/:id/replay">{({ id }) => <ReplayScreen key={id} sessionId={id} />}</Route>
      <Route path="/search">
        <SearchScreen />
      </Route>
      <Route path="/search/:query">{({ query }) => <SearchScreen query={queryOf(query)} />}</Route>
      <Route component={AgentsScreen} path="/agents" />
      <Route component={CompareScreen} path="/compare" />
      <Route path="/compare/:id">{({ id }) => <ComparisonScreen id={id} key={id} />}</Route>
      <Route component={FleetScreen} path="/fleet" />
      <Route component={UsageScreen} path="/usage" />
      <Route component={ConnectScreen} path="/connect" />
      <Route component={DoctorScreen} path="/doctor" />
      <Route component={SettingsScreen} path="/settings" />
      <Route>
        <Empty isScreen title="There is nothing here">
          There is no screen at this address.{" "}
          <Link className="text-accent underline underline-offset-2" href="/">
            Go to all sessions
          </Link>
        </Empty>
      </Route>
    </Switch>
  );
}
