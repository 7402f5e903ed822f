import { Route, Router, Switch } from "wouter";
import { useHashLocation } from "wouter/use-hash-location";
import { usePageState } from "./data/use-page-state.ts";
import { Empty } from "./parts/empty.tsx";
import { SessionsScreen } from "./sessions/sessions-screen.tsx";
import { Layout } from "./shell/layout.tsx";
import {
  ChangesScreen,
  ConnectScreen,
  DoctorScreen,
  NewSessionScreen,
  ReplayScreen,
  SessionScreen,
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

function Screens() {
  return (
    <Switch>
      <Route component={SessionsScreen} path="/" />
      <Route component={NewSessionScreen} path="/new" />
      <Route path="/s/:id">{({ id }) => <SessionScreen key={id} sessionId={id} />}</Route>
      <Route path="/s/:id/changes">{({ id }) => <ChangesScreen key={id} sessionId={id} />}</Route>
      <Route path="/s/:id/replay">{({ id }) => <ReplayScreen key={id} sessionId={id} />}</Route>
      <Route component={UsageScreen} path="/usage" />
      <Route component={ConnectScreen} path="/connect" />
      <Route component={DoctorScreen} path="/doctor" />
      <Route>
        <Empty title="There is nothing here">This address leads nowhere. The navigation knows every screen.</Empty>
      </Route>
    </Switch>
  );
}
