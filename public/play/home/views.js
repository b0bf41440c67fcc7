/** What is loaded once the player has signed in. */
export { GameDialog } from './game-dialog.js';
export { Maintenance } from './maintenance.js';
export { MaintenanceBanner } from './maintenance-banner.js';
export { News } from './news.js';
export { NewsPanel } from './news-panel.js';
