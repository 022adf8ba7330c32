// Names of devices for people.

// "task 1 gpu:0 stream" of "/job:worker/replica:0/task:1/device:gpu:0/stream:all"
export function shortName(device: string): string {
  const task = /\/task:(\d+)/.exec(device);
  const rest = device.replace(/^.*?\/device:/, "").replace(/^\/(job|replica|task):[^/]*/g, "").replaceAll("/", " ").replace("stream:all", "stream").trim();
  return `${task && task[1] !== "0" ? `task ${task[1]} ` : ""}${rest || device}`;
}
