import type { Command } from 'commander';
import { actionsCommand } from './actions.ts';
import { adminCommand } from './admin.ts';
import { backupCommand } from './backup.ts';
import { bareProgram } from './bare-program.ts';
import { completionCommand } from './completion.ts';
import { configCommand } from './config.ts';
import { demoCommand } from './demo.ts';
import { doctorCommand } from './doctor.ts';
import { exportCommand } from './export.ts';
import { gameCommand } from './game.ts';
import { healthcheckCommand } from './healthcheck.ts';
import { importCommand } from './import.ts';
import { keyCommand } from './key.ts';
import { migrateCommand } from './migrate.ts';
import { openApiCommand } from './openapi.ts';
import { playerCommand } from './player.ts';
import { restoreCommand } from './restore.ts';
import { rulesCommand } from './rules.ts';
import { serveCommand } from './serve.ts';
import { sessionCommand } from './session.ts';
import { tokenCommand } from './token.ts';
import { webhooksCommand } from './webhooks.ts';

/** All commands there are. */
export function createProgram(): Command {
  const program = bareProgram()
    .addCommand(serveCommand())
    .addCommand(gameCommand())
    .addCommand(tokenCommand())
    .addCommand(rulesCommand())
    .addCommand(actionsCommand())
    .addCommand(webhooksCommand())
    .addCommand(keyCommand())
    .addCommand(adminCommand())
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(exportCommand())
    .addCommand(importCommand())
    .addCommand(doctorCommand())
    .addCommand(demoCommand())
    .addCommand(playerCommand())
    .addCommand(sessionCommand())
    .addCommand(migrateCommand())
    .addCommand(healthcheckCommand())
    .addCommand(configCommand())
    .addCommand(openApiCommand())
    .addCommand(completionCommand(() => program));
  return program;
}
