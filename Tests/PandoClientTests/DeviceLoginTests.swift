import Testing

@testable import PandoClient

@Suite("A login on another device")
struct DeviceLoginTests {
    @Test(
        "asks at the server's pace, within reason",
        arguments: [(5, 5), (0, 1), (-1, 1), (.min, 1), (600, 600), (601, 600), (.max, 600)])
    func pace(_ said: Int, _ kept: Int) {
        #expect(DeviceLogin.pace(said) == kept)
    }
}
