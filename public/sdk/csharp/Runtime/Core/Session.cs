namespace Gantry
{
    /// <summary>A player's session, whose token the server has accepted.</summary>
    internal sealed class Session
    {
        public string Token { get; }

        /// <summary>Null from a server that does not tell.</summary>
        public OwnPlayer Player { get; }

        /// <summary>The player's address.</summary>
        public string Wallet { get; }

        /// <summary>In Unix milliseconds; null: unknown.</summary>
        public long? ExpiresAt { get; }

        /// <summary>How it was opened: <c>device</c>, <c>wallet</c>, <c>launcher</c> and others.</summary>
        public string OpenedBy { get; }

        /// <summary>The token came from the game's options or its launcher, not from the saved state.</summary>
        public bool IsOfLauncher { get; set; }

        /// <summary>The secret of the guest's device that signed in with it; null: none did.</summary>
        public string DeviceSecret { get; set; }

        /// <summary>The game that the guest signed in to.</summary>
        public string Game { get; set; }

        public Session(string token, OwnPlayer player, long? expiresAt, string openedBy, string wallet = null)
        {
            Token = token;
            Player = player;
            Wallet = player?.Wallet ?? wallet;
            ExpiresAt = expiresAt;
            OpenedBy = openedBy;
        }

        /// <summary>From the answer of an operation that signs in.</summary>
        public static Session OfAnswer(JsonObject answer, string openedBy, string deviceSecret = null, string game = null)
        {
            var player = OwnPlayer.From(answer.Find("player"));
            return new Session(answer.Find("launcherJwt") as string, player, Read.OptionalInteger(answer.Find("expiresAt")), openedBy, answer.Find("wallet") as string)
            {
                DeviceSecret = deviceSecret,
                Game = game
            };
        }
    }
}
