// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {OwnableUpgradeable} from "@openzeppelin/contracts-upgradeable/access/OwnableUpgradeable.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";

/// What Chainalysis' sanctions oracle answers: `isSanctioned(address)`, true for whom it was made with.
contract SanctionsOracle {
    mapping(address account => bool) private _listed;

    constructor(address[] memory listed) {
        for (uint256 i; i < listed.length; i++) _listed[listed[i]] = true;
    }

    function name() external pure returns (string memory) {
        return "Chainalysis sanctions oracle";
    }

    function isSanctioned(address account) external view returns (bool) {
        return _listed[account];
    }
}

/// A plain ERC-1155.
contract Editions is ERC1155 {
    constructor(address[] memory holders) ERC1155("") {
        for (uint256 i; i < holders.length; i++) _mint(holders[i], 1, 10, "");
    }
}

/// Moves what it was allowed to move, for whoever it belongs to. Fixed code, no owner.
contract Puller {
    function pull(IERC20 token, uint256 amount) external {
        token.transferFrom(msg.sender, address(this), amount);
    }
}

/// The same, behind a proxy that its owner can give other code.
contract UpgradeablePuller is OwnableUpgradeable, UUPSUpgradeable {
    constructor() {
        _disableInitializers();
    }

    function initialize(address owner_) external initializer {
        __Ownable_init(owner_);
    }

    function pull(IERC20 token, uint256 amount) external {
        token.transferFrom(msg.sender, address(this), amount);
    }

    function _authorizeUpgrade(address) internal override onlyOwner {}
}

/// An EIP-7702 delegate that passes on whatever its account receives, and lets one address take the rest.
contract Sweeper {
    address payable private immutable _thief;

    constructor(address payable thief) {
        _thief = thief;
    }

    function sweep(IERC20 token) external {
        token.transfer(_thief, token.balanceOf(address(this)));
    }

    receive() external payable {
        _thief.transfer(msg.value);
    }
}

/// Bears the name of another token and tells of transfers that never were, which needs nobody's permission.
contract CounterfeitToken {
    string public name;
    string public symbol;
    uint8 public constant decimals = 6;
    uint256 public constant totalSupply = 1_000_000_000e6;
    mapping(address holder => uint256) public balanceOf;
    mapping(address holder => mapping(address spender => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(string memory name_, string memory symbol_) {
        name = name_;
        symbol = symbol_;
        balanceOf[msg.sender] = totalSupply;
        emit Transfer(address(0), msg.sender, totalSupply);
    }

    function announce(address from, address to, uint256 value) external {
        emit Transfer(from, to, value);
    }
}

/// Runs code of the caller's choice on its own storage, for its owner.
contract DelegatingVault is Ownable {
    constructor(address owner_) Ownable(owner_) {}

    function run(address code, bytes calldata data) external onlyOwner returns (bytes memory) {
        (bool ok, bytes memory answer) = code.delegatecall(data);
        require(ok);
        return answer;
    }

    receive() external payable {}
}
