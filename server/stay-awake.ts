/**
 * What keeps this machine awake, by the system: a small program that ends with its input, so that it dies with the server,
 * however the server dies. Nothing is configured, and nothing stays behind.
 */
import { spawn } from 'node:child_process';
import type { StayAwake } from './runner/awake.ts';

/** Runs until its input ends. */
const UNTIL_INPUT_ENDS = ['/bin/sh', '-c', 'read -r word'];
/** ES_CONTINUOUS and ES_SYSTEM_REQUIRED: in force while the thread that asked for it lives. */
const WINDOWS = `
$kernel = Add-Type -Name Power -Namespace Cairn -PassThru -MemberDefinition '[DllImport("kernel32.dll")] public static extern uint SetThreadExecutionState(uint flags);'
$kernel::SetThreadExecutionState([uint32]"0x80000001") | Out-Null
[Console]::In.ReadLine() | Out-Null`;

/** Null: this system offers nothing that is known. Whether it is there shows when it is started. */
function programOf(platform: NodeJS.Platform): { file: string; args: string[] } | null {
  switch (platform) {
    case 'linux':
      return {
        file: 'systemd-inhibit',
        args: ['--what=idle:sleep', '--who=Cairn', '--why=An agent is working', '--mode=block', ...UNTIL_INPUT_ENDS],
      };
    case 'darwin':
      return { file: 'caffeinate', args: ['-i', ...UNTIL_INPUT_ENDS] };
    case 'win32':
      return { file: 'powershell.exe', args: ['-NoProfile', '-NonInteractive', '-Command', WINDOWS] };
    default:
      return null;
  }
}

/** `env`: for the program, without secrets; its PATH says where it is looked for. */
export function stayAwakeOf(platform: NodeJS.Platform, env: Readonly<Record<string, string>>): StayAwake | null {
  const program = programOf(platform);
  if (program === null) return null;
  return (ended) => {
    const child = spawn(program.file, program.args, {
      env,
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: platform !== 'win32',
      windowsHide: true,
    });
    let over = false;
    const gone = (): void => {
      if (over) return;
      over = true;
      ended();
    };
    child.once('error', gone);
    child.once('exit', gone);
    // A program that is gone has no input to end.
    child.stdin.on('error', gone);
    child.unref();
    return () => {
      over = true;
      child.stdin.end();
    };
  };
}
