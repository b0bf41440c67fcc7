/// <summary>The Gantry server, and the id or slug of this game there.</summary>
public static class GameConfig
{
    public const string Url = "http://127.0.0.1:3000";
    public const string Game = "YOUR_GAME";
}
