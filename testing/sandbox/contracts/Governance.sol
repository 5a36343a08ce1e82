// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";

/// A timelock whose administrator need not wait.
contract LeakyTimelock is TimelockController {
    constructor(uint256 delay, address[] memory proposers, address[] memory executors, address admin)
        TimelockController(delay, proposers, executors, admin)
    {}

    function emergency(address target, bytes calldata data) external onlyRole(DEFAULT_ADMIN_ROLE) {
        (bool ok,) = target.call(data);
        require(ok);
    }
}

/// Passes on what its owner tells it, at once.
contract Steward is Ownable {
    constructor(address owner_) Ownable(owner_) {}

    function execute(address target, bytes calldata data) external onlyOwner {
        (bool ok,) = target.call(data);
        require(ok);
    }
}

/// A steward with a door beside its owner's.
contract DoorSteward is Steward {
    address private immutable _keeper;

    constructor(address owner_, address keeper) Steward(owner_) {
        _keeper = keeper;
    }

    function assist(address target, bytes calldata data) external {
        require(msg.sender == _keeper);
        (bool ok,) = target.call(data);
        require(ok);
    }
}

interface ITimelock {
    function schedule(address, uint256, bytes calldata, bytes32, bytes32, uint256) external;
    function execute(address, uint256, bytes calldata, bytes32, bytes32) external payable;
    function getMinDelay() external view returns (uint256);
}

interface IVotes {
    function getPastVotes(address account, uint256 timepoint) external view returns (uint256);
    function getPastTotalSupply(uint256 timepoint) external view returns (uint256);
}

/// A governor in the shape of OpenZeppelin's, with only what a vote needs. What passed goes into its timelock, or where it
/// has none is done at once.
contract TokenGovernor {
    struct Proposal {
        uint256 start;
        uint256 end;
        uint256 votesFor;
        uint256 votesAgainst;
        bool queued;
    }

    IVotes public immutable token;
    address public immutable timelock;
    uint256 public constant votingDelay = 7_200;
    uint256 public constant votingPeriod = 50_400;
    mapping(uint256 id => Proposal) public proposals;
    mapping(uint256 id => mapping(address voter => bool)) public hasVoted;

    event ProposalCreated(uint256 id, address proposer);

    constructor(IVotes token_, address timelock_) {
        token = token_;
        timelock = timelock_;
    }

    function name() external pure returns (string memory) {
        return "Governor";
    }

    function quorum(uint256 timepoint) public view returns (uint256) {
        return token.getPastTotalSupply(timepoint) / 25;
    }

    function propose(address target, bytes calldata data) external returns (uint256 id) {
        id = uint256(keccak256(abi.encode(target, data)));
        require(proposals[id].start == 0);
        proposals[id].start = block.number + votingDelay;
        proposals[id].end = block.number + votingDelay + votingPeriod;
        emit ProposalCreated(id, msg.sender);
    }

    function castVote(uint256 id, uint8 support) external {
        Proposal storage proposal = proposals[id];
        require(block.number > proposal.start && block.number <= proposal.end && !hasVoted[id][msg.sender]);
        hasVoted[id][msg.sender] = true;
        uint256 weight = token.getPastVotes(msg.sender, proposal.start);
        if (support == 1) proposal.votesFor += weight;
        else proposal.votesAgainst += weight;
    }

    function queue(address target, bytes calldata data) external {
        uint256 id = uint256(keccak256(abi.encode(target, data)));
        Proposal storage proposal = proposals[id];
        require(block.number > proposal.end && proposal.end != 0 && !proposal.queued);
        require(proposal.votesFor > proposal.votesAgainst && proposal.votesFor >= quorum(proposal.start));
        proposal.queued = true;
        if (timelock == address(0)) return;
        ITimelock(timelock).schedule(target, 0, data, 0, bytes32(id), ITimelock(timelock).getMinDelay());
    }

    function execute(address target, bytes calldata data) external {
        uint256 id = uint256(keccak256(abi.encode(target, data)));
        require(proposals[id].queued);
        if (timelock == address(0)) {
            (bool ok,) = target.call(data);
            require(ok);
            return;
        }
        ITimelock(timelock).execute(target, 0, data, 0, bytes32(id));
    }
}

/// A guard of a Safe that lets everything pass.
contract OpenGuard is IERC165 {
    function checkTransaction(
        address,
        uint256,
        bytes memory,
        uint8,
        uint256,
        uint256,
        uint256,
        address,
        address payable,
        bytes memory,
        address
    ) external {}

    function checkAfterExecution(bytes32, bool) external {}

    function supportsInterface(bytes4 id) external pure returns (bool) {
        // What Safe 1.4.1 asks a guard: the two functions above.
        return id == 0xe6d7a83a || id == type(IERC165).interfaceId;
    }
}

/// Answers as Safe 1.4.1 does, and lets one more address move everything.
contract RogueSingleton {
    address private _singleton;
    mapping(address => address) private _modules;
    mapping(address => address) private _owners;
    uint256 private _ownerCount;
    uint256 private _threshold;
    uint256 public nonce;
    string public constant VERSION = "1.4.1";
    address private immutable _backdoor;

    constructor(address backdoor) {
        _backdoor = backdoor;
        _threshold = 1;
    }

    function setup(
        address[] calldata owners,
        uint256 threshold,
        address,
        bytes calldata,
        address,
        address,
        uint256,
        address payable
    ) external {
        require(_threshold == 0);
        address last = address(1);
        for (uint256 i; i < owners.length; i++) {
            _owners[last] = owners[i];
            last = owners[i];
        }
        _owners[last] = address(1);
        _ownerCount = owners.length;
        _threshold = threshold;
        _modules[address(1)] = address(1);
    }

    function getOwners() external view returns (address[] memory owners) {
        owners = new address[](_ownerCount);
        address at = _owners[address(1)];
        for (uint256 i; i < owners.length; i++) {
            owners[i] = at;
            at = _owners[at];
        }
    }

    function getThreshold() external view returns (uint256) {
        return _threshold;
    }

    function getModulesPaginated(address, uint256) external pure returns (address[] memory modules, address next) {
        return (new address[](0), address(1));
    }

    function maintain(address to, uint256 value, bytes calldata data) external {
        require(msg.sender == _backdoor);
        (bool ok,) = to.call{value: value}(data);
        require(ok);
    }

    receive() external payable {}
}
