/** What is loaded once the player has signed in. */
export { FriendNotices } from './friend-notices.js';
export { Friends } from './friends.js';
export { FriendsPanel } from './friends-panel.js';
export { StatusForm } from './status-form.js';
