import type { AboutView, LaneName } from "@caret/protocol";
import { Field, Select } from "../parts/field.tsx";

const laneNamesForPeople: Readonly<Record<LaneName, string>> = {
  cli: "Cursor's CLI",
  acp: "Cursor's CLI over ACP",
  sdk: "Cursor's SDK",
  api: "Cursor's API (unofficial)",
  sim: "Simulator",
};

interface LaneChoiceProps {
  readonly about: AboutView;
  readonly lane: LaneName | "";
  readonly onChange: (lane: LaneName | "") => void;
}

export function LaneChoice({ about, lane, onChange }: LaneChoiceProps) {
  const chosen = about.lanes.find((known) => known.lane === (lane === "" ? about.defaultLane : lane));
  const hint =
    chosen?.simulated === true ? (
      <strong className="text-warn">
        Simulated answers, real tools: it changes files and runs commands in the workspace.
      </strong>
    ) : (
      (chosen?.detail ?? "How the agent is run.")
    );
  return (
    <Field hint={hint} label="Lane">
      {(ids) => (
        <Select {...ids} onChange={(event) => onChange(event.target.value as LaneName | "")} value={lane}>
          <option value="">Default ({laneNamesForPeople[about.defaultLane]})</option>
          {about.lanes.map((known) => (
            <option disabled={!known.ready} key={known.lane} value={known.lane}>
              {laneNamesForPeople[known.lane]}
              {known.simulated && known.lane !== "sim" && " (simulated)"}
              {!known.ready && " (not ready)"}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
