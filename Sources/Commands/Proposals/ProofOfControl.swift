import Administration
import Base
import Crawler
import Federation
import Foundation
import Server
import ServiceCheck

/// Whether somebody controls a service: a word of ours stands below its base URL. It is asked by the rules of the
/// crawler, as a stranger named it.
struct ProofOfControl {
    private static let sizeLimit = 4_096
    private static let timeLimit = Duration.seconds(10)

    private let settings: CrawlerSettings
    private let loopback: Bool
    private let clock: WallClock

    init(_ settings: Settings, clock: WallClock) throws {
        self.settings = try CrawlerSettings(settings, version: Version.text)
        (loopback, self.clock) = (settings.allowsLoopbackServices, clock)
    }

    /// Throws `AdminFailure` (`conflict`) where it does not stand there. What came instead is not told: it may be a
    /// page of somebody's network.
    func require(of proposal: ServiceProposal) async throws {
        let hint = "\(proposal.proof) is to be a line of \(proposal.proofURL), which answers 200 without a redirect"
        do {
            let answer = try await OutsideRequest(settings, loopback: loopback).send(
                proposal.proofURL, accept: "text/plain", limit: ProofOfControl.sizeLimit,
                within: ProofOfControl.timeLimit)
            guard answer.status == 200 else {
                throw AdminFailure(.conflict, "\(proposal.proofURL) answered \(answer.status)", hint: hint)
            }
            guard proposal.isShown(by: answer.body) else {
                throw AdminFailure(.conflict, "the proof does not stand at \(proposal.proofURL)", hint: hint)
            }
        } catch is OutsideRequest.Failed {
            // Why not would tell strangers what names mean inside this network.
            throw AdminFailure(.conflict, "\(proposal.proofURL) could not be read from here", hint: hint)
        }
    }

    /// What a check of the service finds, its document first (docs/join-the-federation.md).
    func report(on proposal: ServiceProposal) async throws -> JSONObject {
        try await BriefCheck(settings, loopback: loopback, clock: clock)
            .report(on: proposal.base, rsd: proposal.rsd).json
    }
}
