import Foundation
import NIOPosix
import Testing

@testable import Crawler

@Suite("Threads of crawls")
struct CrawlThreadsTests {
    @Test("made ahead, they run a crawl where no descriptor is left")
    func withoutDescriptors() async {
        await #expect(processExitsWith: .success) {
            CrawlThreads.make()
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(1) }
            guard open("/dev/null", O_RDONLY) < 0, errno == EMFILE else { exit(2) }
            let hasLoop = await withTaskExecutorPreference(CrawlThreads.next()) {
                MultiThreadedEventLoopGroup.currentEventLoop != nil
            }
            exit(hasLoop ? 0 : 3)
        }
    }
}
