using System.Collections.Generic;

namespace Gantry
{
    /// <summary>A player's friends and friend requests, see <see cref="Friends.FollowAsync"/>.</summary>
    public sealed class FriendList
    {
        /// <summary>Favorites first, then those who are online, then by name.</summary>
        public IReadOnlyList<FollowedFriend> Friends { get; }

        /// <summary>Requests of others, latest first.</summary>
        public IReadOnlyList<Friend> Received { get; }

        /// <summary>The player's own requests, latest first.</summary>
        public IReadOnlyList<Friend> Sent { get; }

        internal FriendList(IReadOnlyList<FollowedFriend> friends, IReadOnlyList<Friend> received, IReadOnlyList<Friend> sent)
        {
            Friends = friends;
            Received = received;
            Sent = sent;
        }
    }

    /// <summary>A friend, and what the friend shows.</summary>
    public sealed class FollowedFriend
    {
        public Friend Friend { get; }

        /// <summary><c>offline</c>, with 0 for <c>Since</c>, when it is not known.</summary>
        public FriendPresence Presence { get; }

        internal FollowedFriend(Friend friend, FriendPresence presence)
        {
            Friend = friend;
            Presence = presence ?? new FriendPresence { Wallet = friend.Wallet, Status = Friends.Offline, Joinable = false };
        }
    }
}
