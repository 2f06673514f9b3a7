/** Shares with their intervals, drawn on one axis from 0 to 100 %. */
import { Text, useComputedColorScheme } from "@mantine/core";
import { Bar, BarChart, CartesianGrid, ErrorBar, LabelList, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";

import { percent, type ShareRow } from "./evaluation";

const ROW_PX = 30;

export function Shares({ rows, label }: { rows: ShareRow[]; label: string }) {
  const isDark = useComputedColorScheme("light") === "dark";
  const ink = isDark ? "#98a3b1" : "#5a6472";
  const data = rows.map((row) => ({
    name: row.name,
    share: row.rate * 100,
    error: [Math.max(0, (row.rate - row.low) * 100), Math.max(0, (row.high - row.rate) * 100)],
    said: `${row.verified}/${row.n} = ${percent(row.rate)} [${percent(row.low)}, ${percent(row.high)}]`,
  }));
  return (
    <figure style={{ margin: 0 }} aria-label={`${label}: ${data.map(({ name, said }) => `${name} ${said}`).join("; ")}`}>
      <ResponsiveContainer width="100%" height={rows.length * ROW_PX + 34}>
        <BarChart data={data} layout="vertical" margin={{ left: 4, right: 212, top: 2, bottom: 2 }} barSize={12}>
          <CartesianGrid horizontal={false} stroke={isDark ? "#2a323d" : "#e3e7ec"} />
          <XAxis type="number" domain={[0, 100]} allowDataOverflow ticks={[0, 25, 50, 75, 100]} unit=" %" tick={{ fontSize: 11, fill: ink }} stroke={ink} />
          <YAxis type="category" dataKey="name" width={210} tick={{ fontSize: 11.5, fill: ink }} stroke={ink} interval={0} />
          <Tooltip content={<Said />} cursor={{ fill: isDark ? "#1f262f" : "#eef1f4" }} />
          <Bar dataKey="share" fill={isDark ? "#2c9a88" : "#46a797"} isAnimationActive={false}>
            <ErrorBar dataKey="error" width={5} strokeWidth={1.6} stroke={isDark ? "#d5dae1" : "#101419"} direction="x" />
            <LabelList dataKey="said" content={<Beside ink={ink} />} />
          </Bar>
        </BarChart>
      </ResponsiveContainer>
    </figure>
  );
}

/** The figures, at the right edge of the plot where no whisker crosses them. */
function Beside({ ink, y, height, value, viewBox }: { ink: string; y?: number; height?: number; value?: string; viewBox?: unknown }) {
  void viewBox;
  return (
    <text x="100%" dx={-4} y={(y ?? 0) + (height ?? 0) / 2 + 4} textAnchor="end" fontSize={11} fill={ink} fontFamily="ui-monospace, monospace">
      {value}
    </text>
  );
}

function Said({ active, payload }: { active?: boolean; payload?: { payload: { name: string; said: string } }[] }) {
  const [first] = payload ?? [];
  if (!active || !first) return null;
  return (
    <div className="panel" style={{ padding: "5px 8px" }}>
      <Text fz="xs" fw={600}>
        {first.payload.name}
      </Text>
      <Text fz="xs" ff="monospace">
        {first.payload.said}
      </Text>
    </div>
  );
}
