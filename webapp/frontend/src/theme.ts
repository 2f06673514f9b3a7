import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from "@mantine/core";

// Slate with a trace of blue: calmer over a long day than pure black and grey.
const dark: MantineColorsTuple = [
  "#d5dae1",
  "#b4bcc7",
  "#8b95a3",
  "#5f6a79",
  "#394250",
  "#2a323d",
  "#1f262f",
  "#161b22",
  "#101419",
  "#0b0e12",
];

const rope: MantineColorsTuple = [
  "#e4f6f3",
  "#cfe9e4",
  "#a1d3ca",
  "#6fbcae",
  "#46a797",
  "#2c9a88",
  "#1b8a79",
  "#14695f",
  "#0f574f",
  "#07463f",
];

export const theme = createTheme({
  primaryColor: "rope",
  primaryShade: { light: 7, dark: 6 },
  colors: { dark, rope },
  defaultRadius: 4,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", "Noto Sans", "PingFang SC", "Noto Sans CJK SC", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace',
  fontSizes: { xs: "11.5px", sm: "13px", md: "14px", lg: "16px", xl: "19px" },
  lineHeights: { xs: "1.35", sm: "1.4", md: "1.45" },
  spacing: { xs: "6px", sm: "10px", md: "14px", lg: "20px", xl: "28px" },
  headings: { fontWeight: "600", sizes: { h1: { fontSize: "19px" }, h2: { fontSize: "15px" }, h3: { fontSize: "13px" } } },
  cursorType: "pointer",
  components: {
    Button: { defaultProps: { size: "xs" } },
    ActionIcon: { defaultProps: { variant: "subtle", color: "gray" } },
    TextInput: { defaultProps: { size: "xs" } },
    NumberInput: { defaultProps: { size: "xs" } },
    PasswordInput: { defaultProps: { size: "xs" } },
    Select: { defaultProps: { size: "xs" } },
    MultiSelect: { defaultProps: { size: "xs" } },
    Textarea: { defaultProps: { size: "xs" } },
    SegmentedControl: { defaultProps: { size: "xs" } },
    Switch: { defaultProps: { size: "xs" } },
    Table: { defaultProps: { verticalSpacing: 5, horizontalSpacing: 10, fz: "sm", highlightOnHover: true } },
    InputWrapper: { styles: { description: { fontSize: "11.5px" }, error: { fontSize: "12px" } } },
    Badge: { defaultProps: { size: "sm", variant: "light", radius: 3 }, styles: { root: { textTransform: "none", fontWeight: 600 } } },
    Paper: { defaultProps: { withBorder: true, p: "sm" } },
    Tooltip: { defaultProps: { openDelay: 300, fz: "xs" } },
    // No fading out: keys stay off until a dialog is gone, and the next key may follow at once.
    Modal: { defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.5 }, transitionProps: { duration: 0 } } },
  },
});

/** Small text must keep 4.5 : 1 on the page in both schemes. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-yellow-light-color": "#7d5200",
    "--mantine-color-orange-light-color": "#9a4100",
    "--mantine-color-green-light-color": "#1c6b2f",
    "--mantine-color-blue-light-color": "#1457a8",
    "--mantine-color-red-light-color": "#b3261e",
    "--mantine-color-cyan-light-color": "#0a6477",
    "--mantine-color-gray-light-color": "#4a525c",
    "--mantine-color-dimmed": "#5a6472", "--mantine-color-body": "#f7f8fa", "--belay-panel": "#ffffff" },
  dark: { "--mantine-color-dimmed": "#98a3b1", "--mantine-color-body": "#101419", "--belay-panel": "#161b22" },
});
