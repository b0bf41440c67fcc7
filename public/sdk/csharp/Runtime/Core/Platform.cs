using System;

namespace Gantry
{
    /// <summary>The services of the platform: sockets, HTTP and a log.</summary>
    public static class Platform
    {
        public static ISocket CreateSocket()
        {
#if UNITY_WEBGL && !UNITY_EDITOR
            return new WebGLSocket();
#else
            return new DotNetSocket();
#endif
        }

        public static IHttp CreateHttp()
        {
#if UNITY_5_3_OR_NEWER
            return new UnityHttp();
#else
            return new DotNetHttp();
#endif
        }

        public static void LogError(Exception error)
        {
#if UNITY_5_3_OR_NEWER
            UnityEngine.Debug.LogException(error);
#else
            Console.Error.WriteLine(error);
#endif
        }
    }
}
