// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Pausable} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Pausable.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

/// A fixed supply and an owner who can do nothing but pass on his title.
contract OwnedToken is ERC20, Ownable {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ERC20(name_, symbol_)
        Ownable(owner_)
    {
        _mint(msg.sender, supply);
    }
}

/// An owner written out, for tokens that change him otherwise than OpenZeppelin does.
abstract contract BareOwnedToken is ERC20 {
    address public owner;

    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);

    modifier onlyOwner() {
        require(msg.sender == owner);
        _;
    }

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_) ERC20(name_, symbol_) {
        owner = owner_;
        _mint(msg.sender, supply);
    }
}

/// The owner can stop transfers.
contract PausableToken is ERC20Pausable, Ownable {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ERC20(name_, symbol_)
        Ownable(owner_)
    {
        _mint(msg.sender, supply);
    }

    function pause() external onlyOwner {
        _pause();
    }

    function unpause() external onlyOwner {
        _unpause();
    }
}

/// The owner can stop transfers and mint.
contract ManagedToken is PausableToken {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        PausableToken(name_, symbol_, supply, owner_)
    {}

    function mint(address to, uint256 amount) external onlyOwner {
        _mint(to, amount);
    }
}

/// The owner can freeze single accounts.
contract BlacklistToken is OwnedToken {
    mapping(address account => bool) public isBlacklisted;

    error Blacklisted(address account);

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        OwnedToken(name_, symbol_, supply, owner_)
    {}

    function setBlacklisted(address account, bool listed) external onlyOwner {
        isBlacklisted[account] = listed;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (isBlacklisted[from]) revert Blacklisted(from);
        if (isBlacklisted[to]) revert Blacklisted(to);
        super._update(from, to, value);
    }
}
