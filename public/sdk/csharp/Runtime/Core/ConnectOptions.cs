using System;

namespace Gantry
{
    /// <summary>How <see cref="GantryClient.ConnectAsync"/> finds the game's player.</summary>
    public sealed class ConnectOptions : GantryOptions
    {
        /// <summary>The game's slug or id (<c>gantry game list</c>).</summary>
        public string Game { get; set; }

        /// <summary>The name of a new guest; without one, the server chooses it.</summary>
        public string Username { get; set; }

        /// <summary>The name of this device in a new guest's list of devices.</summary>
        public string DeviceName { get; set; }

        /// <summary>A guest's secret, if the game stores it itself, such as in the system's keychain; otherwise it is in the saved state.</summary>
        public string DeviceSecret { get; set; }

        /// <summary>How long signing in is tried again while the server asks to wait, or does not answer.</summary>
        public TimeSpan SignInTimeout { get; set; } = TimeSpan.FromMinutes(1);
    }
}
